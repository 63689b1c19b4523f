//! Asynchronous copies, barriers in shared memory, proxies, tensor memory. [`super`] explains the notation.

/// The rows, in no particular order.
pub(super) const ROWS: &[(&str, &str, &str)] = &[
    // Barriers in shared memory (manual 9.7.13.15). Without a scope they order for the block.
    (
        "llvm.nvvm.mbarrier.{arrive|arrive.drop}{|.expect.tx}{.scope.cta|.scope.cluster|.relaxed.scope.cta|.relaxed.scope.cluster}.space.cta",
        "i64(p3,i32)",
        "mbarrier.{A:arrive|arrive_drop}{B:|.expect_tx}{C:|.release.cluster|.relaxed.cta|.relaxed.cluster}.shared.b64 d, [%0], %1",
    ),
    (
        "llvm.nvvm.mbarrier.{expect|complete}.tx.scope.{cta|cluster}.space.cta",
        "void(p3,i32)",
        "mbarrier.{A}_tx.relaxed.{B}.shared.b64 [%0], %1",
    ),
    (
        "llvm.nvvm.mbarrier.{arrive|arrive.drop}{|.expect.tx}{.scope.cta|.scope.cluster|.relaxed.scope.cta|.relaxed.scope.cluster}.space.cluster",
        "void(p7,i32)",
        "mbarrier.{A:arrive|arrive_drop}{B:|.expect_tx}{C:|.release.cluster|.relaxed.cta|.relaxed.cluster}.shared::cluster.b64 _, [%0], %1",
    ),
    (
        "llvm.nvvm.mbarrier.{expect|complete}.tx.scope.{cta|cluster}.space.cluster",
        "void(p7,i32)",
        "mbarrier.{A}_tx.relaxed.{B}.shared::cluster.b64 [%0], %1",
    ),
    (
        "llvm.nvvm.mbarrier.{test|try}.wait{.scope.cta|.scope.cluster|.relaxed.scope.cta|.relaxed.scope.cluster}.space.cta",
        "i1(p3,i64)",
        "mbarrier.{A}_wait{B:|.acquire.cluster|.relaxed.cta|.relaxed.cluster}.shared.b64 d, [%0], %1",
    ),
    (
        "llvm.nvvm.mbarrier.{test|try}.wait.parity{.scope.cta|.scope.cluster|.relaxed.scope.cta|.relaxed.scope.cluster}.space.cta",
        "i1(p3,i32)",
        "mbarrier.{A}_wait.parity{B:|.acquire.cluster|.relaxed.cta|.relaxed.cluster}.shared.b64 d, [%0], %1",
    ),
    (
        "llvm.nvvm.mbarrier.try.wait.tl{.scope.cta|.scope.cluster|.relaxed.scope.cta|.relaxed.scope.cluster}.space.cta",
        "i1(p3,i64,i32)",
        "mbarrier.try_wait{A:|.acquire.cluster|.relaxed.cta|.relaxed.cluster}.shared.b64 d, [%0], %1, %2",
    ),
    (
        "llvm.nvvm.mbarrier.try.wait.parity.tl{.scope.cta|.scope.cluster|.relaxed.scope.cta|.relaxed.scope.cluster}.space.cta",
        "i1(p3,i32,i32)",
        "mbarrier.try_wait.parity{A:|.acquire.cluster|.relaxed.cta|.relaxed.cluster}.shared.b64 d, [%0], %1, %2",
    ),
    // Fences (manual 9.7.13.4).
    (
        "llvm.nvvm.fence.{acquire.sync_restrict.space.cluster|release.sync_restrict.space.cta}.scope.cluster",
        "void()",
        "fence.{A:acquire.sync_restrict::shared::cluster|release.sync_restrict::shared::cta}.cluster",
    ),
    (
        "llvm.nvvm.fence.proxy.async_generic.{acquire.sync_restrict.space.cluster|release.sync_restrict.space.cta}.scope.cluster",
        "void()",
        "fence.proxy.async::generic.{A:acquire.sync_restrict::shared::cluster|release.sync_restrict::shared::cta}.cluster",
    ),
    (
        "llvm.nvvm.fence.proxy.tensormap_generic.acquire.{cta|cluster|gpu|sys}",
        "void(p0,i32)",
        "fence.proxy.tensormap::generic.acquire.{A} [%0], 128, #1=128",
    ),
    (
        "llvm.nvvm.fence.proxy.tensormap_generic.release.{cta|cluster|gpu|sys}",
        "void()",
        "fence.proxy.tensormap::generic.release.{A}",
    ),
    // Cluster launches (manual 9.7.13.17), bulk stores and tensor maps (manual 9.7.9).
    (
        "llvm.nvvm.clusterlaunchcontrol.try_cancel.async{|.multicast}.shared",
        "void(p3,p3)",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes{A:|.multicast::cluster::all}.b128 [%0], [%1]",
    ),
    (
        "llvm.nvvm.clusterlaunchcontrol.query_cancel.is_canceled",
        "i1(i128)",
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 d, %0",
    ),
    (
        "llvm.nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.{x|y|z}",
        "i32(i128)",
        "clusterlaunchcontrol.query_cancel.get_first_ctaid::{A}.b32.b128 d, %0",
    ),
    ("llvm.nvvm.st.bulk", "void(p0,i64,i64)", "st.bulk [%0], %1, 0, #2=0"),
    ("llvm.nvvm.st.bulk.shared.cta", "void(p3,i64,i64)", "st.bulk.shared::cta [%0], %1, 0, #2=0"),
    ("llvm.nvvm.prefetch.tensormap.{p0|p4|p101}", "void(A)", "prefetch{A:|.const|.param}.tensormap [%0]"),
    (
        "llvm.nvvm.tensormap.replace.{box.dim|element.stride|global.dim}.{p0|p1|p3}",
        "void(B,i32,i32)",
        "tensormap.replace.tile.{A:box_dim|element_stride|global_dim}{B:|.global|.shared::cta}.b1024.b32 [%0], #1, %2",
    ),
    (
        "llvm.nvvm.tensormap.replace.{elemtype|fill.mode|interleave.layout|swizzle.atomicity|swizzle.mode}.{p0|p1|p3}",
        "void(B,i32)",
        "tensormap.replace.tile.{A:elemtype|fill_mode|interleave_layout|swizzle_atomicity|swizzle_mode}{B:|.global|.shared::cta}.b1024.b32 [%0], #1<{A:16|2|3|4|5}",
    ),
    (
        "llvm.nvvm.tensormap.replace.rank.{p0|p1|p3}",
        "void(A,i32)",
        "tensormap.replace.tile.rank{A:|.global|.shared::cta}.b1024.b32 [%0], %1",
    ),
    (
        "llvm.nvvm.tensormap.replace.global.address.{p0|p1|p3}",
        "void(A,i64)",
        "tensormap.replace.tile.global_address{A:|.global|.shared::cta}.b1024.b64 [%0], %1",
    ),
    (
        "llvm.nvvm.tensormap.replace.global.stride.{p0|p1|p3}",
        "void(A,i32,i64)",
        "tensormap.replace.tile.global_stride{A:|.global|.shared::cta}.b1024.b64 [%0], #1, %2",
    ),
    ("llvm.nvvm.is_explicit_cluster", "i1()", "mov.pred d, %is_explicit_cluster"),
    // Bulk copies (manual 9.7.9.25.4). The flags say whether mask and cache policy are given.
    (
        "llvm.nvvm.cp.async.bulk.global.to.shared.cluster?{0|1}{0|1}",
        "void(p7,p3,p1,i32,i16,i64,i1,i1)",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{A:|.multicast::cluster}{B:|.L2::cache_hint} [%0], [%2], %3, [%1], {A:#4=any|%4}, {B:#5=any|%5}, #6={A}, #7={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.global.to.shared.cta?{0|1}",
        "void(p3,p3,p1,i32,i64,i1)",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{A:|.L2::cache_hint} [%0], [%2], %3, [%1], {A:#4=any|%4}, #5={A}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.shared.cta.to.cluster",
        "void(p7,p3,p3,i32)",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%2], %3, [%1]",
    ),
    (
        "llvm.nvvm.cp.async.bulk.shared.cta.to.global?{0|1}",
        "void(p1,p3,i32,i64,i1)",
        "cp.async.bulk.global.shared::cta.bulk_group{A:|.L2::cache_hint} [%0], [%1], %2, {A:#3=any|%3}, #4={A}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.shared.cta.to.global.bytemask?{0|1}",
        "void(p1,p3,i32,i64,i1,i16)",
        "cp.async.bulk.global.shared::cta.bulk_group{A:|.L2::cache_hint}.cp_mask [%0], [%1], %2, {A:#3=any|%3}, %5, #4={A}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.prefetch.L2?{0|1}",
        "void(p1,i32,i64,i1)",
        "cp.async.bulk.prefetch.L2.global{A:|.L2::cache_hint} [%0], %1, {A:#2=any|%2}, #3={A}",
    ),
    // Copies of boxes of tensors (manual 9.7.9.27).
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.{1|2|3|4|5}d?{0|1}{0|1}{0|1|2}",
        "void(p7,p3,p0,i32*{A:1|2|3|4|5},i16,i64,i1,i1,i32)",
        "cp.async.bulk.tensor.{A}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{B:|.multicast::cluster}{D:|.cta_group::1|.cta_group::2}{C:|.L2::cache_hint} [%0], [%2<%3:{A:1|2|3|4|5}>], [%1], {B:#|%}{A:4|5|6|7|8}{B:=any|}, {C:#|%}{A:5|6|7|8|9}{C:=any|}, #{A:6|7|8|9|10}={B}, #{A:7|8|9|10|11}={C}, #{A:8|9|10|11|12}={D}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.im2col.{3|4|5}d?{0|1}{0|1}{0|1|2}",
        "void(p7,p3,p0,i32*{A:3|4|5},i16*{A:1|2|3},i16,i64,i1,i1,i32)",
        "cp.async.bulk.tensor.{A}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{B:|.multicast::cluster}{D:|.cta_group::1|.cta_group::2}{C:|.L2::cache_hint} [%0], [%2<%3:{A:3|4|5}>], [%1], <%{A:6|7|8}:{A:1|2|3}>, {B:#|%}{A:7|9|11}{B:=any|}, {C:#|%}{A:8|10|12}{C:=any|}, #{A:9|11|13}={B}, #{A:10|12|14}={C}, #{A:11|13|15}={D}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.im2col.w.{3|4|5}d?{0|1}{0|1}{0|1|2}",
        "void(p7,p3,p0,i32*{A:3|4|5},i16*2,i16,i64,i1,i1,i32)",
        "cp.async.bulk.tensor.{A}d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes{B:|.multicast::cluster}{D:|.cta_group::1|.cta_group::2}{C:|.L2::cache_hint} [%0], [%2<%3:{A:3|4|5}>], [%1], <%{A:6|7|8}:2>, {B:#|%}{A:8|9|10}{B:=any|}, {C:#|%}{A:9|10|11}{C:=any|}, #{A:10|11|12}={B}, #{A:11|12|13}={C}, #{A:12|13|14}={D}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.im2col.w.128.{3|4|5}d?{0|1}{0|1}{0|1|2}",
        "void(p7,p3,p0,i32*{A:3|4|5},i16*2,i16,i64,i1,i1,i32)",
        "cp.async.bulk.tensor.{A}d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes{B:|.multicast::cluster}{D:|.cta_group::1|.cta_group::2}{C:|.L2::cache_hint} [%0], [%2<%3:{A:3|4|5}>], [%1], <%{A:6|7|8}:2>, {B:#|%}{A:8|9|10}{B:=any|}, {C:#|%}{A:9|10|11}{C:=any|}, #{A:10|11|12}={B}, #{A:11|12|13}={C}, #{A:12|13|14}={D}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.tile.gather4.{2}d?{0|1}{0|1}{0|1|2}",
        "void(p7,p3,p0,i32*5,i16,i64,i1,i1,i32)",
        "cp.async.bulk.tensor.{A}d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{B:|.multicast::cluster}{D:|.cta_group::1|.cta_group::2}{C:|.L2::cache_hint} [%0], [%2<%3:5>], [%1], {B:#|%}8{B:=any|}, {C:#|%}9{C:=any|}, #10={B}, #11={C}, #12={D}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.{1|2|3|4|5}d?{0|1}",
        "void(p3,p3,p0,i32*{A:1|2|3|4|5},i64,i1)",
        "cp.async.bulk.tensor.{A}d.shared::cta.global.tile.mbarrier::complete_tx::bytes{B:|.L2::cache_hint} [%0], [%2<%3:{A:1|2|3|4|5}>], [%1], {B:#|%}{A:4|5|6|7|8}{B:=any|}, #{A:5|6|7|8|9}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.cta.im2col.{3|4|5}d?{0|1}",
        "void(p3,p3,p0,i32*{A:3|4|5},i16*{A:1|2|3},i64,i1)",
        "cp.async.bulk.tensor.{A}d.shared::cta.global.im2col.mbarrier::complete_tx::bytes{B:|.L2::cache_hint} [%0], [%2<%3:{A:3|4|5}>], [%1], <%{A:6|7|8}:{A:1|2|3}>, {B:#|%}{A:7|9|11}{B:=any|}, #{A:8|10|12}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.cta.im2col.w.{3|4|5}d?{0|1}",
        "void(p3,p3,p0,i32*{A:3|4|5},i16*2,i64,i1)",
        "cp.async.bulk.tensor.{A}d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes{B:|.L2::cache_hint} [%0], [%2<%3:{A:3|4|5}>], [%1], <%{A:6|7|8}:2>, {B:#|%}{A:8|9|10}{B:=any|}, #{A:9|10|11}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.cta.im2col.w.128.{3|4|5}d?{0|1}",
        "void(p3,p3,p0,i32*{A:3|4|5},i16*2,i64,i1)",
        "cp.async.bulk.tensor.{A}d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes{B:|.L2::cache_hint} [%0], [%2<%3:{A:3|4|5}>], [%1], <%{A:6|7|8}:2>, {B:#|%}{A:8|9|10}{B:=any|}, #{A:9|10|11}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.gather4.{2}d?{0|1}",
        "void(p3,p3,p0,i32*5,i64,i1)",
        "cp.async.bulk.tensor.{A}d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes{B:|.L2::cache_hint} [%0], [%2<%3:5>], [%1], {B:#|%}8{B:=any|}, #9={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.prefetch.tile.{1|2|3|4|5}d?{0|1}",
        "void(p0,i32*{A:1|2|3|4|5},i64,i1)",
        "cp.async.bulk.prefetch.tensor.{A}d.L2.global.tile{B:|.L2::cache_hint} [%0<%1:{A:1|2|3|4|5}>], {B:#|%}{A:2|3|4|5|6}{B:=any|}, #{A:3|4|5|6|7}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.prefetch.im2col.{3|4|5}d?{0|1}",
        "void(p0,i32*{A:3|4|5},i16*{A:1|2|3},i64,i1)",
        "cp.async.bulk.prefetch.tensor.{A}d.L2.global.im2col{B:|.L2::cache_hint} [%0<%1:{A:3|4|5}>], <%{A:4|5|6}:{A:1|2|3}>, {B:#|%}{A:5|7|9}{B:=any|}, #{A:6|8|10}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.prefetch.im2col.w.{3|4|5}d?{0|1}",
        "void(p0,i32*{A:3|4|5},i16*2,i64,i1)",
        "cp.async.bulk.prefetch.tensor.{A}d.L2.global.im2col::w{B:|.L2::cache_hint} [%0<%1:{A:3|4|5}>], <%{A:4|5|6}:2>, {B:#|%}{A:6|7|8}{B:=any|}, #{A:7|8|9}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.prefetch.im2col.w.128.{3|4|5}d?{0|1}",
        "void(p0,i32*{A:3|4|5},i16*2,i64,i1)",
        "cp.async.bulk.prefetch.tensor.{A}d.L2.global.im2col::w::128{B:|.L2::cache_hint} [%0<%1:{A:3|4|5}>], <%{A:4|5|6}:2>, {B:#|%}{A:6|7|8}{B:=any|}, #{A:7|8|9}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.prefetch.tile.gather4.{2}d?{0|1}",
        "void(p0,i32*5,i64,i1)",
        "cp.async.bulk.prefetch.tensor.{A}d.L2.global.tile::gather4{B:|.L2::cache_hint} [%0<%1:5>], {B:#|%}6{B:=any|}, #7={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.{1|2|3|4|5}d?{0|1}",
        "void(p3,p0,i32*{A:1|2|3|4|5},i64,i1)",
        "cp.async.bulk.tensor.{A}d.global.shared::cta.tile.bulk_group{B:|.L2::cache_hint} [%1<%2:{A:1|2|3|4|5}>], [%0], {B:#|%}{A:3|4|5|6|7}{B:=any|}, #{A:4|5|6|7|8}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.s2g.im2col.{3|4|5}d?{0|1}",
        "void(p3,p0,i32*{A:3|4|5},i64,i1)",
        "cp.async.bulk.tensor.{A}d.global.shared::cta.im2col_no_offs.bulk_group{B:|.L2::cache_hint} [%1<%2:{A:3|4|5}>], [%0], {B:#|%}{A:5|6|7}{B:=any|}, #{A:6|7|8}={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.s2g.tile.scatter4.{2}d?{0|1}",
        "void(p3,p0,i32*5,i64,i1)",
        "cp.async.bulk.tensor.{A}d.global.shared::cta.tile::scatter4.bulk_group{B:|.L2::cache_hint} [%1<%2:5>], [%0], {B:#|%}7{B:=any|}, #8={B}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.reduce.{add|min|max|inc|dec|and|or|xor}.tile.{1|2|3|4|5}d?{0|1}",
        "void(p3,p0,i32*{B:1|2|3|4|5},i64,i1)",
        "cp.reduce.async.bulk.tensor.{B}d.global.shared::cta.{A}.tile.bulk_group{C:|.L2::cache_hint} [%1<%2:{B:1|2|3|4|5}>], [%0], {C:#|%}{B:3|4|5|6|7}{C:=any|}, #{B:4|5|6|7|8}={C}",
    ),
    (
        "llvm.nvvm.cp.async.bulk.tensor.reduce.{add|min|max|inc|dec|and|or|xor}.im2col.{3|4|5}d?{0|1}",
        "void(p3,p0,i32*{B:3|4|5},i64,i1)",
        "cp.reduce.async.bulk.tensor.{B}d.global.shared::cta.{A}.im2col_no_offs.bulk_group{C:|.L2::cache_hint} [%1<%2:{B:3|4|5}>], [%0], {C:#|%}{B:5|6|7}{C:=any|}, #{B:6|7|8}={C}",
    ),
    // Warp-group matrix instructions (manual 9.7.15).
    ("llvm.nvvm.wgmma.{fence|commit_group}.sync.aligned", "void()", "wgmma.{A}.sync.aligned"),
    ("llvm.nvvm.wgmma.wait_group.sync.aligned", "void(i64)", "wgmma.wait_group.sync.aligned #0"),
    // Tensor memory (manual 9.7.16).
    (
        "llvm.nvvm.tcgen05.alloc.cg{1|2}",
        "void(p0,i32)",
        "tcgen05.alloc.cta_group::{A}.sync.aligned.b32 [%0], %1",
    ),
    (
        "llvm.nvvm.tcgen05.alloc.shared.cg{1|2}",
        "void(p3,i32)",
        "tcgen05.alloc.cta_group::{A}.sync.aligned.shared::cta.b32 [%0], %1",
    ),
    (
        "llvm.nvvm.tcgen05.dealloc.cg{1|2}",
        "void(p6,i32)",
        "tcgen05.dealloc.cta_group::{A}.sync.aligned.b32 %0, %1",
    ),
    (
        "llvm.nvvm.tcgen05.relinq.alloc.permit.cg{1|2}",
        "void()",
        "tcgen05.relinquish_alloc_permit.cta_group::{A}.sync.aligned",
    ),
    ("llvm.nvvm.tcgen05.fence.{before|after}.thread.sync", "void()", "tcgen05.fence::{A}_thread_sync"),
    ("llvm.nvvm.tcgen05.wait.{ld|st}", "void()", "tcgen05.wait::{A}.sync.aligned"),
    ("llvm.nvvm.tcgen05.shift.down.cg{1|2}", "void(p6)", "tcgen05.shift.cta_group::{A}.down [%0]"),
    (
        "llvm.nvvm.tcgen05.commit.cg{1|2}",
        "void(p0)",
        "tcgen05.commit.cta_group::{A}.mbarrier::arrive::one.b64 [%0]",
    ),
    (
        "llvm.nvvm.tcgen05.commit.mc.cg{1|2}",
        "void(p0,i16)",
        "tcgen05.commit.cta_group::{A}.mbarrier::arrive::one.multicast::cluster.b64 [%0], %1",
    ),
    (
        "llvm.nvvm.tcgen05.commit.shared.cg{1|2}",
        "void(p3)",
        "tcgen05.commit.cta_group::{A}.mbarrier::arrive::one.shared::cluster.b64 [%0]",
    ),
    (
        "llvm.nvvm.tcgen05.commit.mc.shared.cg{1|2}",
        "void(p3,i16)",
        "tcgen05.commit.cta_group::{A}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1",
    ),
    (
        "llvm.nvvm.tcgen05.cp.{128x256b|4x256b|128x128b|64x128b_warpx2_02_13|64x128b_warpx2_01_23|32x128b_warpx4}{|.b6x16_p32|.b4x16_p64}.cg{1|2}",
        "void(p6,i64)",
        "tcgen05.cp.cta_group::{C}.{A:128x256b|4x256b|128x128b|64x128b.warpx2::02_13|64x128b.warpx2::01_23|32x128b.warpx4}{B:|.b8x16.b6x16_p32|.b8x16.b4x16_p64} [%0], %1",
    ),
    (
        "llvm.nvvm.tcgen05.ld.16x64b.x{1|2|4|8|16|32|64|128}?{0|1}",
        "{A:i32|w2|w4|w8|w16|w32|w64|w128}(p6,i1)",
        "tcgen05.ld.sync.aligned.16x64b.x{A}{B:|.pack::16b}.b32 <d:{A:1|2|4|8|16|32|64|128}>, [%0], #1={B}",
    ),
    (
        "llvm.nvvm.tcgen05.st.16x64b.x{1|2|4|8|16|32|64|128}?{0|1}",
        "void(p6,{A:i32|w2|w4|w8|w16|w32|w64|w128},i1)",
        "tcgen05.st.sync.aligned.16x64b.x{A}{B:|.unpack::16b}.b32 [%0], <%1>, #2={B}",
    ),
    (
        "llvm.nvvm.tcgen05.ld.32x32b.x{1|2|4|8|16|32|64|128}?{0|1}",
        "{A:i32|w2|w4|w8|w16|w32|w64|w128}(p6,i1)",
        "tcgen05.ld.sync.aligned.32x32b.x{A}{B:|.pack::16b}.b32 <d:{A:1|2|4|8|16|32|64|128}>, [%0], #1={B}",
    ),
    (
        "llvm.nvvm.tcgen05.st.32x32b.x{1|2|4|8|16|32|64|128}?{0|1}",
        "void(p6,{A:i32|w2|w4|w8|w16|w32|w64|w128},i1)",
        "tcgen05.st.sync.aligned.32x32b.x{A}{B:|.unpack::16b}.b32 [%0], <%1>, #2={B}",
    ),
    (
        "llvm.nvvm.tcgen05.ld.16x128b.x{1|2|4|8|16|32|64}?{0|1}",
        "{A:w2|w4|w8|w16|w32|w64|w128}(p6,i1)",
        "tcgen05.ld.sync.aligned.16x128b.x{A}{B:|.pack::16b}.b32 <d:{A:2|4|8|16|32|64|128}>, [%0], #1={B}",
    ),
    (
        "llvm.nvvm.tcgen05.st.16x128b.x{1|2|4|8|16|32|64}?{0|1}",
        "void(p6,{A:w2|w4|w8|w16|w32|w64|w128},i1)",
        "tcgen05.st.sync.aligned.16x128b.x{A}{B:|.unpack::16b}.b32 [%0], <%1>, #2={B}",
    ),
    (
        "llvm.nvvm.tcgen05.ld.16x256b.x{1|2|4|8|16|32}?{0|1}",
        "{A:w4|w8|w16|w32|w64|w128}(p6,i1)",
        "tcgen05.ld.sync.aligned.16x256b.x{A}{B:|.pack::16b}.b32 <d:{A:4|8|16|32|64|128}>, [%0], #1={B}",
    ),
    (
        "llvm.nvvm.tcgen05.st.16x256b.x{1|2|4|8|16|32}?{0|1}",
        "void(p6,{A:w4|w8|w16|w32|w64|w128},i1)",
        "tcgen05.st.sync.aligned.16x256b.x{A}{B:|.unpack::16b}.b32 [%0], <%1>, #2={B}",
    ),
    (
        "llvm.nvvm.tcgen05.ld.16x32bx2.x{1|2|4|8|16|32|64|128}?{0|1}",
        "{A:i32|w2|w4|w8|w16|w32|w64|w128}(p6,i64,i1)",
        "tcgen05.ld.sync.aligned.16x32bx2.x{A}{B:|.pack::16b}.b32 <d:{A:1|2|4|8|16|32|64|128}>, [%0], #1, #2={B}",
    ),
    (
        "llvm.nvvm.tcgen05.st.16x32bx2.x{1|2|4|8|16|32|64|128}?{0|1}",
        "void(p6,i64,{A:i32|w2|w4|w8|w16|w32|w64|w128},i1)",
        "tcgen05.st.sync.aligned.16x32bx2.x{A}{B:|.unpack::16b}.b32 [%0], #1, <%2>, #3={B}",
    ),
    // Products in tensor memory (manual 9.7.16.10). Kind, collector buffer and its use are constant arguments.
    (
        "llvm.nvvm.tcgen05.mma.{shared|tensor}?{0|1|2|3}{1|2}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,i32*3)",
        "tcgen05.mma.cta_group::{C}.kind::{B:f16|tf32|f8f6f4|i8}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, %3, %4, #5={B}, #6={C}, #7={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.{shared|tensor}.scale_d?{0|1}{1|2}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,i64,i32*3)",
        "tcgen05.mma.cta_group::{C}.kind::{B:f16|tf32}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, %3, %4, #5<16, #6={B}, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.{tensor}.ashift?{0|1|2|3}{1|2}{0|1}",
        "void(p6*2,i64,i32,i1,i32*3)",
        "tcgen05.mma.cta_group::{C}.kind::{B:f16|tf32|f8f6f4|i8}.ashift.collector::a::{D:discard|lastuse} [%0], [%1], %2, %3, %4, #5={B}, #6={C}, #7={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{shared|tensor}?{0|1|2|3}{1|2}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,p6,i32*3)",
        "tcgen05.mma.sp.cta_group::{C}.kind::{B:f16|tf32|f8f6f4|i8}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, [%5], %3, %4, #6={B}, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{shared|tensor}.scale_d?{0|1}{1|2}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,p6,i64,i32*3)",
        "tcgen05.mma.sp.cta_group::{C}.kind::{B:f16|tf32}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, [%5], %3, %4, #6<16, #7={B}, #8={C}, #9={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.{tensor}.scale_d.ashift?{0|1}{1|2}{0|1}",
        "void(p6*2,i64,i32,i1,i64,i32*3)",
        "tcgen05.mma.cta_group::{C}.kind::{B:f16|tf32}.ashift.collector::a::{D:discard|lastuse} [%0], [%1], %2, %3, %4, #5<16, #6={B}, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{tensor}.ashift?{0|1|2|3}{1|2}{0|1}",
        "void(p6*2,i64,i32,i1,p6,i32*3)",
        "tcgen05.mma.sp.cta_group::{C}.kind::{B:f16|tf32|f8f6f4|i8}.ashift.collector::a::{D:discard|lastuse} [%0], [%1], %2, [%5], %3, %4, #6={B}, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{tensor}.scale_d.ashift?{0|1}{1|2}{0|1}",
        "void(p6*2,i64,i32,i1,p6,i64,i32*3)",
        "tcgen05.mma.sp.cta_group::{C}.kind::{B:f16|tf32}.ashift.collector::a::{D:discard|lastuse} [%0], [%1], %2, [%5], %3, %4, #6<16, #7={B}, #8={C}, #9={D}",
    ),
    // The same with lanes that are left as they are.
    (
        "llvm.nvvm.tcgen05.mma.{shared|tensor}.disable_output_lane.cg{1|2}?{0|1|2|3}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,{B:w4|w8},i32*2)",
        "tcgen05.mma.cta_group::{B}.kind::{C:f16|tf32|f8f6f4|i8}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, %3, <%5>, %4, #6={C}, #7={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.{shared|tensor}.scale_d.disable_output_lane.cg{1|2}?{0|1}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,i64,{B:w4|w8},i32*2)",
        "tcgen05.mma.cta_group::{B}.kind::{C:f16|tf32}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, %3, <%6>, %4, #5<16, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.{tensor}.disable_output_lane.cg{1|2}.ashift?{0|1|2|3}{0|1}",
        "void(p6*2,i64,i32,i1,{B:w4|w8},i32*2)",
        "tcgen05.mma.cta_group::{B}.kind::{C:f16|tf32|f8f6f4|i8}.ashift.collector::a::{D:discard|lastuse} [%0], [%1], %2, %3, <%5>, %4, #6={C}, #7={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.{tensor}.scale_d.disable_output_lane.cg{1|2}.ashift?{0|1}{0|1}",
        "void(p6*2,i64,i32,i1,i64,{B:w4|w8},i32*2)",
        "tcgen05.mma.cta_group::{B}.kind::{C:f16|tf32}.ashift.collector::a::{D:discard|lastuse} [%0], [%1], %2, %3, <%6>, %4, #5<16, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{shared|tensor}.disable_output_lane.cg{1|2}?{0|1|2|3}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,p6,{B:w4|w8},i32*2)",
        "tcgen05.mma.sp.cta_group::{B}.kind::{C:f16|tf32|f8f6f4|i8}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, [%5], %3, <%6>, %4, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{shared|tensor}.scale_d.disable_output_lane.cg{1|2}?{0|1}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,p6,i64,{B:w4|w8},i32*2)",
        "tcgen05.mma.sp.cta_group::{B}.kind::{C:f16|tf32}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, [%5], %3, <%7>, %4, #6<16, #8={C}, #9={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{tensor}.disable_output_lane.cg{1|2}.ashift?{0|1|2|3}{0|1}",
        "void(p6*2,i64,i32,i1,p6,{B:w4|w8},i32*2)",
        "tcgen05.mma.sp.cta_group::{B}.kind::{C:f16|tf32|f8f6f4|i8}.ashift.collector::a::{D:discard|lastuse} [%0], [%1], %2, [%5], %3, <%6>, %4, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{tensor}.scale_d.disable_output_lane.cg{1|2}.ashift?{0|1}{0|1}",
        "void(p6*2,i64,i32,i1,p6,i64,{B:w4|w8},i32*2)",
        "tcgen05.mma.sp.cta_group::{B}.kind::{C:f16|tf32}.ashift.collector::a::{D:discard|lastuse} [%0], [%1], %2, [%5], %3, <%7>, %4, #6<16, #8={C}, #9={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.ws.{shared|tensor}?{0|1|2|3}{0|1|2|3}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,i32*3)",
        "tcgen05.mma.ws.cta_group::1.kind::{B:f16|tf32|f8f6f4|i8}.collector::b{C}::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, %3, %4, #5={B}, #6={C}, #7={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.ws.{shared|tensor}.zero_col_mask?{0|1|2|3}{0|1|2|3}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,i64,i32*3)",
        "tcgen05.mma.ws.cta_group::1.kind::{B:f16|tf32|f8f6f4|i8}.collector::b{C}::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, %3, %4, %5, #6={B}, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.{shared|tensor}.{mxf8f6f4.block_scale|mxf8f6f4.block_scale.block32|mxf4.block_scale|mxf4.block_scale.block32|mxf4nvf4.block_scale.block16|mxf4nvf4.block_scale.block32}?{1|2}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,p6*2,i32*2)",
        "tcgen05.mma.cta_group::{C}.kind::{B}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, %3, [%5], [%6], %4, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.ws.sp.{shared|tensor}?{0|1|2|3}{0|1|2|3}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,p6,i32*3)",
        "tcgen05.mma.ws.sp.cta_group::1.kind::{B:f16|tf32|f8f6f4|i8}.collector::b{C}::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, [%5], %3, %4, #6={B}, #7={C}, #8={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.ws.sp.{shared|tensor}.zero_col_mask?{0|1|2|3}{0|1|2|3}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,p6,i64,i32*3)",
        "tcgen05.mma.ws.sp.cta_group::1.kind::{B:f16|tf32|f8f6f4|i8}.collector::b{C}::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, [%5], %3, %4, %6, #7={B}, #8={C}, #9={D}",
    ),
    (
        "llvm.nvvm.tcgen05.mma.sp.{shared|tensor}.{mxf8f6f4.block_scale|mxf8f6f4.block_scale.block32|mxf4.block_scale|mxf4.block_scale.block32|mxf4nvf4.block_scale.block16|mxf4nvf4.block_scale.block32}?{1|2}{0|1|2|3}",
        "void(p6,{A:i64|p6},i64,i32,i1,p6,p6*2,i32*2)",
        "tcgen05.mma.sp.cta_group::{C}.kind::{B}.collector::a::{D:discard|lastuse|fill|use} [%0], {A:%1|[%1]}, %2, [%5], %3, [%6], [%7], %4, #8={C}, #9={D}",
    ),
    // Matrices of a warp in half precision (manual 9.7.14.4); the order of the fragments is the hardware's.
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.{a|b}.{row|col}.f16.{p0|p1|p3}",
        "f16x2*8({D})",
        "wmma.load.{B}.sync.aligned.{C}.{A}{D:|.global|.shared}.f16 <d:8>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.c.{row|col}.{f16|f32}.{p0|p1|p3}",
        "{C:f16x2*4|f32*8}({D})",
        "wmma.load.c.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{C:4|8}>, [%0]",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.store.d.{row|col}.{f16|f32}.{p0|p1|p3}",
        "void({D},{C:f16x2*4|f32*8})",
        "wmma.store.d.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} [%0], <%1:{C:4|8}>",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.{a|b}.{row|col}.stride.f16.{p0|p1|p3}",
        "f16x2*8({D},i32)",
        "wmma.load.{B}.sync.aligned.{C}.{A}{D:|.global|.shared}.f16 <d:8>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.load.c.{row|col}.stride.{f16|f32}.{p0|p1|p3}",
        "{C:f16x2*4|f32*8}({D},i32)",
        "wmma.load.c.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} <d:{C:4|8}>, [%0], %1",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.store.d.{row|col}.stride.{f16|f32}.{p0|p1|p3}",
        "void({D},{C:f16x2*4|f32*8},i32)",
        "wmma.store.d.sync.aligned.{B}.{A}{D:|.global|.shared}.{C} [%0], <%1:{C:4|8}>, %{C:5|9}",
    ),
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.mma.{row|col}.{row|col}.{f16|f32}.{f16|f32}",
        "{D:f16x2*4|f32*8}(f16x2*16,{E:f16x2*4|f32*8})",
        "wmma.mma.sync.aligned.{B}.{C}.{A}.{D}.{E} <d:{D:4|8}>, <%0:8>, <%8:8>, <%16:{E:4|8}>",
    ),
    // PTX 6.5 has saturation of floating-point products no longer.
    (
        "llvm.nvvm.wmma.{m16n16k16|m32n8k16|m8n32k16}.mma.{row|col}.{row|col}.{f16|f32}.{f16|f32}.satfinite",
        "{D:f16x2*4|f32*8}(f16x2*16,{E:f16x2*4|f32*8})",
        "wmma.mma.sync.aligned.{B}.{C}.{A}.{D}.{E}.satfinite <d:{D:4|8}>, <%0:8>, <%8:8>, <%16:{E:4|8}>",
    ),
];

/// Rows that are read by name only.
pub(super) const BY_NAME: &[(&str, &str, &str)] = &[
    // `%gridid` has 64 bits in PTX, of which the intrinsic gives the lower half.
    ("llvm.nvvm.read.ptx.sreg.gridid", "i32()", "mov.u32 d, %gridid"),
];
