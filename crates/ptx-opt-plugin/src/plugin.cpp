// What LLVM offers to C++ alone: passes that a PassBuilder knows by name, and pipelines with the passes of plugins.

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm-c/TargetMachine.h"

#include <cstring>
#include <string>

using namespace llvm;

// Defined in Rust (src/lib.rs).
extern "C" {
/// Whether a text names a pass of this project: 0 if not, 1 for a pass on modules, 2 for a pass on functions, 3 for an invalid parameter.
uint32_t ptx_pass_kind(const char *Text, size_t Length);
/// Runs the pass on the module or, unless that is null, on the function. A failure is told once by `Failed`.
void ptx_pass_run(const char *Text, size_t Length, LLVMModuleRef M, LLVMValueRef F,
                  void (*Failed)(void *, const char *, size_t), void *Data);
}

namespace {

enum PtxPassKind : uint32_t { Other = 0, OnModules = 1, OnFunctions = 2, Invalid = 3 };

/// A pass of this project, as written in the pipeline.
class PtxPass : public PassInfoMixin<PtxPass> {
  std::string Text;

  static void failed(void *Context, const char *Message, size_t Length) {
    static_cast<LLVMContext *>(Context)->emitError(Twine(StringRef(Message, Length)));
  }

public:
  explicit PtxPass(StringRef Text) : Text(Text) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    ptx_pass_run(Text.data(), Text.size(), wrap(&M), nullptr, failed, &M.getContext());
    return PreservedAnalyses::none();
  }

  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    ptx_pass_run(Text.data(), Text.size(), wrap(F.getParent()), wrap(&F), failed, &F.getContext());
    return PreservedAnalyses::none();
  }

  void printPipeline(raw_ostream &OS, function_ref<StringRef(StringRef)>) { OS << Text; }
};

PtxPassKind kindOf(StringRef Name) {
  return static_cast<PtxPassKind>(ptx_pass_kind(Name.data(), Name.size()));
}

char *copyOf(const std::string &Text) { return strdup(Text.c_str()); }

} // namespace

extern "C" void ptx_plugin_register(void *Builder) {
  auto &PB = *static_cast<PassBuilder *>(Builder);
  using Elements = ArrayRef<PassBuilder::PipelineElement>;
  // On modules all of them have names: those on functions run on each function.
  PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &PM, Elements Inner) {
    PtxPassKind Kind = kindOf(Name);
    if (!Inner.empty() || (Kind != OnModules && Kind != OnFunctions))
      return false;
    PM.addPass(PtxPass(Name));
    return true;
  });
  PB.registerPipelineParsingCallback([](StringRef Name, FunctionPassManager &PM, Elements Inner) {
    if (!Inner.empty() || kindOf(Name) != OnFunctions)
      return false;
    PM.addPass(PtxPass(Name));
    return true;
  });
}

extern "C" char *ptx_glue_load(const char *File) {
  auto Plugin = PassPlugin::Load(File);
  return Plugin ? nullptr : copyOf(toString(Plugin.takeError()));
}

extern "C" char *ptx_glue_run(LLVMModuleRef M, const char *Pipeline, LLVMTargetMachineRef Machine, bool IsCompiled,
                              const char *const *Files, size_t Count) {
  // As LLVMRunPasses with the options that ptx-llvm-core sets.
  auto *TM = reinterpret_cast<TargetMachine *>(Machine);
  PipelineTuningOptions Options;
  if (IsCompiled) {
    Options.LoopUnrolling = false;
    Options.InlinerThreshold = 0;
  }
  Module &Mod = *unwrap(M);
  PassInstrumentationCallbacks Callbacks;
  StandardInstrumentations Instrumentations(Mod.getContext(), /*DebugLogging=*/false, /*VerifyEach=*/false);
  PassBuilder PB(TM, Options, std::nullopt, &Callbacks);
  for (const char *File : ArrayRef(Files, Count)) {
    auto Plugin = PassPlugin::Load(File);
    if (!Plugin)
      return copyOf(toString(Plugin.takeError()));
    Plugin->registerPassBuilderCallbacks(PB);
  }
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PB.registerLoopAnalyses(LAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerModuleAnalyses(MAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  Instrumentations.registerCallbacks(Callbacks, &MAM);
  ModulePassManager PM;
  if (auto Failure = PB.parsePassPipeline(PM, Pipeline))
    return copyOf(toString(std::move(Failure)));
  PM.run(Mod, MAM);
  return nullptr;
}

extern "C" void ptx_glue_free(char *Text) { free(Text); }
