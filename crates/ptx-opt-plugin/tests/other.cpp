// A plugin as others write it: a pass that is named, and one at the end of LLVM's default pipelines. Both leave metadata with their name.

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

namespace {

struct Mark : PassInfoMixin<Mark> {
  const char *Name;
  explicit Mark(const char *Name) : Name(Name) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    M.getOrInsertNamedMetadata(Name);
    return PreservedAnalyses::all();
  }
};

void registerPasses(PassBuilder &PB) {
  PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &PM, ArrayRef<PassBuilder::PipelineElement>) {
    if (Name != "other-named")
      return false;
    PM.addPass(Mark("other.named"));
    return true;
  });
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &PM, OptimizationLevel, ThinOrFullLTOPhase) { PM.addPass(Mark("other.last")); });
}

} // namespace

extern "C" PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "other", "1", registerPasses, nullptr};
}
