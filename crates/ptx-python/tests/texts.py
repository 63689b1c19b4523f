"""Texts of PTX that several tests use."""

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"

SCALE = (
    HEAD
    + """.visible .entry scale(.param .u64 .ptr .global .align 4 data, .param .f32 factor, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .b64 %rd<2>;
    .reg .f32 %f<3>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.s32 %r3, %r0, %r1, %r2;
    ld.param.u32 %r4, [n];
    setp.ge.u32 %p, %r3, %r4;
    @%p bra end;
    ld.param.u64 %rd0, [data];
    mad.wide.u32 %rd0, %r3, 4, %rd0;
    ld.param.f32 %f0, [factor];
    ld.global.f32 %f1, [%rd0];
    mul.f32 %f1, %f1, %f0;
    st.global.f32 [%rd0], %f1;
end:
    ret;
}
"""
)

# Writes the bytes of its parameters to memory.
STORE = (
    HEAD
    + """.visible .entry store(.param .u64 to, .param .b8 c, .param .s16 h, .param .b32 w, .param .f64 d, .param .b64 x)
{
    .reg .b16 %h;
    .reg .b32 %w;
    .reg .b64 %to, %x;
    .reg .f64 %d;
    ld.param.u64 %to, [to];
    ld.param.b8 %h, [c];
    st.global.b8 [%to], %h;
    ld.param.b16 %h, [h];
    st.global.b16 [%to+2], %h;
    ld.param.b32 %w, [w];
    st.global.b32 [%to+4], %w;
    ld.param.f64 %d, [d];
    st.global.f64 [%to+8], %d;
    ld.param.b64 %x, [x];
    st.global.b64 [%to+16], %x;
    ret;
}
"""
)

FOREVER = HEAD + ".visible .entry forever() { again: bra again; }\n"
