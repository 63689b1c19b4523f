# find_package(ptx_exec) defines the targets ptx_exec::ptx_exec, the shared library, and ptx_exec::static, if the
# static library is installed.
get_filename_component(_ptx_exec_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET ptx_exec::ptx_exec)
    add_library(ptx_exec::ptx_exec SHARED IMPORTED)
    set_target_properties(ptx_exec::ptx_exec PROPERTIES
        IMPORTED_LOCATION "${_ptx_exec_prefix}/lib/libptx_exec.so"
        IMPORTED_NO_SONAME TRUE
        INTERFACE_INCLUDE_DIRECTORIES "${_ptx_exec_prefix}/include")
endif()

if(NOT TARGET ptx_exec::static AND EXISTS "${_ptx_exec_prefix}/lib/libptx_exec.a")
    find_package(Threads REQUIRED)
    add_library(ptx_exec::static STATIC IMPORTED)
    set_target_properties(ptx_exec::static PROPERTIES
        IMPORTED_LOCATION "${_ptx_exec_prefix}/lib/libptx_exec.a"
        INTERFACE_INCLUDE_DIRECTORIES "${_ptx_exec_prefix}/include"
        INTERFACE_LINK_LIBRARIES "Threads::Threads;m;${CMAKE_DL_LIBS}")
endif()

unset(_ptx_exec_prefix)
