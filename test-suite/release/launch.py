from array import array

data = array("f", range(5))
ptx_llvm.Device().load(SCALE)["scale"][1, 32](data, 2.0, len(data))
print(data.tolist())
try:
    ptx_llvm.Device().load(SCALE)["scale"][1, 32](data, 2.0, 6)
except ptx_llvm.LaunchError as error:
    print(error.kind)
