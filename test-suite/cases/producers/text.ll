; From C, with loops over bytes, tables, division by constants, 64-bit products.
;
;     clang-22 --target=nvptx64-nvidia-cuda -march=sm_80 -Xclang -target-feature -Xclang +ptx80 -S -emit-llvm -O2 -ffreestanding text.c
;
;     typedef unsigned char u8; typedef unsigned u32; typedef unsigned long u64;
;     static u32 crc(const u8*p,int n){u32 c=~0u;while(n--){c^=*p++;for(int k=0;k<8;k++)c=c&1?0xEDB88320u^(c>>1):c>>1;}return ~c;}
;     static u64 fnv(const u8*p,int n){u64 h=14695981039346656037ul;for(int i=0;i<n;i++)h=(h^p[i])*1099511628211ul;return h;}
;     static int digits(u32 v,u8*o){u8 t[10];int n=0;do t[n++]='0'+v%10;while(v/=10);for(int i=0;i<n;i++)o[i]=t[n-1-i];return n;}
;     static int kind(u8 c){switch(c){case'0'...'9':return 1;case'a'...'z':case'_':return 2;case' ':return 3;case'+':return 4;case'-':return 5;case'(':case')':return 6;}return 0;}
;     __attribute__((nvptx_kernel)) void text(const u8*in,int n,u32*sums,u64*hashes,u8*out,int*kinds){
;      int t=__nvvm_read_ptx_sreg_tid_x();const u8*p=in+t*n;
;      sums[t]=crc(p,n);hashes[t]=fnv(p,n);
;      u8*o=out+t*24;int k=digits(sums[t],o);o[k++]='/';k+=digits((u32)hashes[t]%100000,o+k);for(;k<24;k++)o[k]='.';
;      int s=0;for(int i=0;i<n;i++)s=s*7+kind(p[i]);kinds[t]=s;
;     }
;
; RUN: raise -O0
; RUN: raise -O2
; RUN: roundtrip -O0 -O2
; RUN: exec
; LAUNCH: entry=text grid=1 block=4
; ARG: in in u8 = 120 95 49 32 43 32 40 121 32 45 32 52 50 41 32 32 119 104 105 108 101 95 48 49 50 51 52 53 54 55 56 57 33 35 36 37 38 42 47 58 59 60 61 62 63 64 65 90 45 49 32 45 32 40 50 41 32 43 32 51 43 97 98 99
; ARG: s32 = 16
; ARG: out sums u32[4]
; ARG: out hashes u64[4]
; ARG: out out u8[96]
; ARG: out kinds u32[4]
; WANT: sums = 931659845 3957852123 2334421025 2955538483
; WANT: hashes = 8182522780330491531 8610854580245398152 9001483080575028223 15361263843141824834
; WANT: out = 57 51 49 54 53 57 56 52 53 47 51 49 50 49 49 46 46 46 46 46 46 46 46 46 51 57 53 55 56 53 50 49 50 51 47 57 57 50 48 56 46 46 46 46 46 46 46 46 50 51 51 52 52 50 49 48 50 53 47 52 57 57 49 57 46 46 46 46 46 46 46 46 50 57 53 53 53 51 56 52 56 51 47 56 51 53 50 50 46 46 46 46 46 46 46 46
; WANT: kinds = 3879256154 875787608 0 1647561539
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@.crctable = private unnamed_addr constant [256 x i32] [i32 0, i32 1996959894, i32 -301047508, i32 -1727442502, i32 124634137, i32 1886057615, i32 -379345611, i32 -1637575261, i32 249268274, i32 2044508324, i32 -522852066, i32 -1747789432, i32 162941995, i32 2125561021, i32 -407360249, i32 -1866523247, i32 498536548, i32 1789927666, i32 -205950648, i32 -2067906082, i32 450548861, i32 1843258603, i32 -187386543, i32 -2083289657, i32 325883990, i32 1684777152, i32 -43845254, i32 -1973040660, i32 335633487, i32 1661365465, i32 -99664541, i32 -1928851979, i32 997073096, i32 1281953886, i32 -715111964, i32 -1570279054, i32 1006888145, i32 1258607687, i32 -770865667, i32 -1526024853, i32 901097722, i32 1119000684, i32 -608450090, i32 -1396901568, i32 853044451, i32 1172266101, i32 -589951537, i32 -1412350631, i32 651767980, i32 1373503546, i32 -925412992, i32 -1076862698, i32 565507253, i32 1454621731, i32 -809855591, i32 -1195530993, i32 671266974, i32 1594198024, i32 -972236366, i32 -1324619484, i32 795835527, i32 1483230225, i32 -1050600021, i32 -1234817731, i32 1994146192, i32 31158534, i32 -1731059524, i32 -271249366, i32 1907459465, i32 112637215, i32 -1614814043, i32 -390540237, i32 2013776290, i32 251722036, i32 -1777751922, i32 -519137256, i32 2137656763, i32 141376813, i32 -1855689577, i32 -429695999, i32 1802195444, i32 476864866, i32 -2056965928, i32 -228458418, i32 1812370925, i32 453092731, i32 -2113342271, i32 -183516073, i32 1706088902, i32 314042704, i32 -1950435094, i32 -54949764, i32 1658658271, i32 366619977, i32 -1932296973, i32 -69972891, i32 1303535960, i32 984961486, i32 -1547960204, i32 -725929758, i32 1256170817, i32 1037604311, i32 -1529756563, i32 -740887301, i32 1131014506, i32 879679996, i32 -1385723834, i32 -631195440, i32 1141124467, i32 855842277, i32 -1442165665, i32 -586318647, i32 1342533948, i32 654459306, i32 -1106571248, i32 -921952122, i32 1466479909, i32 544179635, i32 -1184443383, i32 -832445281, i32 1591671054, i32 702138776, i32 -1328506846, i32 -942167884, i32 1504918807, i32 783551873, i32 -1212326853, i32 -1061524307, i32 -306674912, i32 -1698712650, i32 62317068, i32 1957810842, i32 -355121351, i32 -1647151185, i32 81470997, i32 1943803523, i32 -480048366, i32 -1805370492, i32 225274430, i32 2053790376, i32 -468791541, i32 -1828061283, i32 167816743, i32 2097651377, i32 -267414716, i32 -2029476910, i32 503444072, i32 1762050814, i32 -144550051, i32 -2140837941, i32 426522225, i32 1852507879, i32 -19653770, i32 -1982649376, i32 282753626, i32 1742555852, i32 -105259153, i32 -1900089351, i32 397917763, i32 1622183637, i32 -690576408, i32 -1580100738, i32 953729732, i32 1340076626, i32 -776247311, i32 -1497606297, i32 1068828381, i32 1219638859, i32 -670225446, i32 -1358292148, i32 906185462, i32 1090812512, i32 -547295293, i32 -1469587627, i32 829329135, i32 1181335161, i32 -882789492, i32 -1134132454, i32 628085408, i32 1382605366, i32 -871598187, i32 -1156888829, i32 570562233, i32 1426400815, i32 -977650754, i32 -1296233688, i32 733239954, i32 1555261956, i32 -1026031705, i32 -1244606671, i32 752459403, i32 1541320221, i32 -1687895376, i32 -328994266, i32 1969922972, i32 40735498, i32 -1677130071, i32 -351390145, i32 1913087877, i32 83908371, i32 -1782625662, i32 -491226604, i32 2075208622, i32 213261112, i32 -1831694693, i32 -438977011, i32 2094854071, i32 198958881, i32 -2032938284, i32 -237706686, i32 1759359992, i32 534414190, i32 -2118248755, i32 -155638181, i32 1873836001, i32 414664567, i32 -2012718362, i32 -15766928, i32 1711684554, i32 285281116, i32 -1889165569, i32 -127750551, i32 1634467795, i32 376229701, i32 -1609899400, i32 -686959890, i32 1308918612, i32 956543938, i32 -1486412191, i32 -799009033, i32 1231636301, i32 1047427035, i32 -1362007478, i32 -640263460, i32 1088359270, i32 936918000, i32 -1447252397, i32 -558129467, i32 1202900863, i32 817233897, i32 -1111625188, i32 -893730166, i32 1404277552, i32 615818150, i32 -1160759803, i32 -841546093, i32 1423857449, i32 601450431, i32 -1285129682, i32 -1000256840, i32 1567103746, i32 711928724, i32 -1274298825, i32 -1022587231, i32 1510334235, i32 755167117]
@switch.table.text = private unnamed_addr constant [91 x i32] [i32 3, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 6, i32 6, i32 0, i32 4, i32 0, i32 5, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 2, i32 0, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2], align 4

define dso_local ptx_kernel void @text(ptr noundef readonly captures(none) %0, i32 noundef %1, ptr noundef writeonly captures(none) %2, ptr noundef captures(none) %3, ptr noundef writeonly captures(none) %4, ptr noundef writeonly captures(none) %5) local_unnamed_addr #0 {
  %7 = alloca [10 x i8], align 1
  %8 = alloca [10 x i8], align 1
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = mul nsw i32 %1, %9
  %11 = sext i32 %10 to i64
  %12 = getelementptr inbounds i8, ptr %0, i64 %11
  %13 = icmp eq i32 %1, 0
  br i1 %13, label %60, label %14

14:                                               ; preds = %6
  %15 = and i32 %1, 1
  %16 = icmp eq i32 %1, 1
  br i1 %16, label %45, label %17

17:                                               ; preds = %14
  %18 = and i32 %1, -2
  br label %19

19:                                               ; preds = %19, %17
  %20 = phi i32 [ -1, %17 ], [ %39, %19 ]
  %21 = phi ptr [ %12, %17 ], [ %40, %19 ]
  %22 = phi i32 [ 0, %17 ], [ %41, %19 ]
  %23 = load i8, ptr %21, align 1, !tbaa !7
  %24 = lshr i32 %20, 8
  %25 = trunc i32 %20 to i8
  %26 = xor i8 %23, %25
  %27 = zext i8 %26 to i64
  %28 = getelementptr inbounds nuw i32, ptr @.crctable, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = xor i32 %29, %24
  %31 = getelementptr inbounds nuw i8, ptr %21, i64 1
  %32 = load i8, ptr %31, align 1, !tbaa !7
  %33 = lshr i32 %30, 8
  %34 = trunc i32 %30 to i8
  %35 = xor i8 %32, %34
  %36 = zext i8 %35 to i64
  %37 = getelementptr inbounds nuw i32, ptr @.crctable, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = xor i32 %38, %33
  %40 = getelementptr inbounds nuw i8, ptr %21, i64 2
  %41 = add i32 %22, 2
  %42 = icmp eq i32 %41, %18
  br i1 %42, label %43, label %19, !llvm.loop !8

43:                                               ; preds = %19
  %44 = icmp eq i32 %15, 0
  br i1 %44, label %57, label %45

45:                                               ; preds = %43, %14
  %46 = phi i32 [ -1, %14 ], [ %39, %43 ]
  %47 = phi ptr [ %12, %14 ], [ %40, %43 ]
  %48 = icmp ne i32 %15, 0
  tail call void @llvm.assume(i1 %48)
  %49 = load i8, ptr %47, align 1, !tbaa !7
  %50 = lshr i32 %46, 8
  %51 = trunc i32 %46 to i8
  %52 = xor i8 %49, %51
  %53 = zext i8 %52 to i64
  %54 = getelementptr inbounds nuw i32, ptr @.crctable, i64 %53
  %55 = load i32, ptr %54, align 4
  %56 = xor i32 %55, %50
  br label %57

57:                                               ; preds = %43, %45
  %58 = phi i32 [ %39, %43 ], [ %56, %45 ]
  %59 = xor i32 %58, -1
  br label %60

60:                                               ; preds = %6, %57
  %61 = phi i32 [ 0, %6 ], [ %59, %57 ]
  %62 = zext nneg i32 %9 to i64
  %63 = getelementptr inbounds nuw i32, ptr %2, i64 %62
  store i32 %61, ptr %63, align 4, !tbaa !3
  %64 = icmp sgt i32 %1, 0
  br i1 %64, label %65, label %123

65:                                               ; preds = %60
  %66 = and i32 %1, 3
  %67 = icmp ult i32 %1, 4
  br i1 %67, label %106, label %68

68:                                               ; preds = %65
  %69 = and i32 %1, 2147483644
  br label %70

70:                                               ; preds = %70, %68
  %71 = phi i32 [ 0, %68 ], [ %101, %70 ]
  %72 = phi i64 [ -3750763034362895579, %68 ], [ %100, %70 ]
  %73 = phi i32 [ 0, %68 ], [ %102, %70 ]
  %74 = zext nneg i32 %71 to i64
  %75 = getelementptr inbounds nuw i8, ptr %12, i64 %74
  %76 = load i8, ptr %75, align 1, !tbaa !7
  %77 = zext i8 %76 to i64
  %78 = xor i64 %72, %77
  %79 = mul i64 %78, 1099511628211
  %80 = zext nneg i32 %71 to i64
  %81 = getelementptr inbounds nuw i8, ptr %12, i64 %80
  %82 = getelementptr inbounds nuw i8, ptr %81, i64 1
  %83 = load i8, ptr %82, align 1, !tbaa !7
  %84 = zext i8 %83 to i64
  %85 = xor i64 %79, %84
  %86 = mul i64 %85, 1099511628211
  %87 = zext nneg i32 %71 to i64
  %88 = getelementptr inbounds nuw i8, ptr %12, i64 %87
  %89 = getelementptr inbounds nuw i8, ptr %88, i64 2
  %90 = load i8, ptr %89, align 1, !tbaa !7
  %91 = zext i8 %90 to i64
  %92 = xor i64 %86, %91
  %93 = mul i64 %92, 1099511628211
  %94 = zext nneg i32 %71 to i64
  %95 = getelementptr inbounds nuw i8, ptr %12, i64 %94
  %96 = getelementptr inbounds nuw i8, ptr %95, i64 3
  %97 = load i8, ptr %96, align 1, !tbaa !7
  %98 = zext i8 %97 to i64
  %99 = xor i64 %93, %98
  %100 = mul i64 %99, 1099511628211
  %101 = add nuw nsw i32 %71, 4
  %102 = add i32 %73, 4
  %103 = icmp eq i32 %102, %69
  br i1 %103, label %104, label %70, !llvm.loop !10

104:                                              ; preds = %70
  %105 = icmp eq i32 %66, 0
  br i1 %105, label %123, label %106

106:                                              ; preds = %104, %65
  %107 = phi i32 [ 0, %65 ], [ %101, %104 ]
  %108 = phi i64 [ -3750763034362895579, %65 ], [ %100, %104 ]
  %109 = icmp ne i32 %66, 0
  tail call void @llvm.assume(i1 %109)
  br label %110

110:                                              ; preds = %110, %106
  %111 = phi i32 [ %120, %110 ], [ %107, %106 ]
  %112 = phi i64 [ %119, %110 ], [ %108, %106 ]
  %113 = phi i32 [ %121, %110 ], [ 0, %106 ]
  %114 = zext nneg i32 %111 to i64
  %115 = getelementptr inbounds nuw i8, ptr %12, i64 %114
  %116 = load i8, ptr %115, align 1, !tbaa !7
  %117 = zext i8 %116 to i64
  %118 = xor i64 %112, %117
  %119 = mul i64 %118, 1099511628211
  %120 = add nuw nsw i32 %111, 1
  %121 = add i32 %113, 1
  %122 = icmp eq i32 %121, %66
  br i1 %122, label %123, label %110, !llvm.loop !11

123:                                              ; preds = %104, %110, %60
  %124 = phi i64 [ -3750763034362895579, %60 ], [ %100, %104 ], [ %119, %110 ]
  %125 = getelementptr inbounds nuw i64, ptr %3, i64 %62
  store i64 %124, ptr %125, align 8, !tbaa !13
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #4
  br label %126

126:                                              ; preds = %126, %123
  %127 = phi i32 [ %140, %126 ], [ 1, %123 ]
  %128 = phi i32 [ %131, %126 ], [ %61, %123 ]
  %129 = phi i32 [ %136, %126 ], [ 0, %123 ]
  %130 = freeze i32 %128
  %131 = udiv i32 %130, 10
  %132 = mul i32 %131, 10
  %133 = sub i32 %130, %132
  %134 = trunc nuw nsw i32 %133 to i8
  %135 = or disjoint i8 %134, 48
  %136 = add nuw nsw i32 %129, 1
  %137 = zext nneg i32 %129 to i64
  %138 = getelementptr inbounds nuw i8, ptr %8, i64 %137
  store i8 %135, ptr %138, align 1, !tbaa !7
  %139 = icmp ult i32 %128, 10
  %140 = add nuw i32 %127, 1
  br i1 %139, label %141, label %126, !llvm.loop !15

141:                                              ; preds = %126
  %142 = mul nuw nsw i32 %9, 24
  %143 = zext nneg i32 %142 to i64
  %144 = getelementptr inbounds nuw i8, ptr %4, i64 %143
  %145 = icmp ult i32 %127, 4
  br i1 %145, label %162, label %146

146:                                              ; preds = %141
  %147 = and i32 %127, -4
  br label %148

148:                                              ; preds = %148, %146
  %149 = phi i32 [ 0, %146 ], [ %158, %148 ]
  %150 = sub nuw nsw i32 %129, %149
  %151 = zext nneg i32 %150 to i64
  %152 = getelementptr inbounds nuw i8, ptr %8, i64 %151
  %153 = getelementptr inbounds i8, ptr %152, i64 -3
  %154 = load <4 x i8>, ptr %153, align 1, !tbaa !7
  %155 = shufflevector <4 x i8> %154, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %156 = zext nneg i32 %149 to i64
  %157 = getelementptr inbounds nuw i8, ptr %144, i64 %156
  store <4 x i8> %155, ptr %157, align 1, !tbaa !7
  %158 = add nuw i32 %149, 4
  %159 = icmp eq i32 %158, %147
  br i1 %159, label %160, label %148, !llvm.loop !16

160:                                              ; preds = %148
  %161 = icmp eq i32 %127, %147
  br i1 %161, label %174, label %162

162:                                              ; preds = %141, %160
  %163 = phi i32 [ 0, %141 ], [ %147, %160 ]
  br label %164

164:                                              ; preds = %162, %164
  %165 = phi i32 [ %172, %164 ], [ %163, %162 ]
  %166 = sub nuw nsw i32 %129, %165
  %167 = zext nneg i32 %166 to i64
  %168 = getelementptr inbounds nuw i8, ptr %8, i64 %167
  %169 = load i8, ptr %168, align 1, !tbaa !7
  %170 = zext nneg i32 %165 to i64
  %171 = getelementptr inbounds nuw i8, ptr %144, i64 %170
  store i8 %169, ptr %171, align 1, !tbaa !7
  %172 = add nuw i32 %165, 1
  %173 = icmp eq i32 %172, %127
  br i1 %173, label %174, label %164, !llvm.loop !19

174:                                              ; preds = %164, %160
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #4
  %175 = zext nneg i32 %136 to i64
  %176 = getelementptr inbounds nuw i8, ptr %144, i64 %175
  store i8 47, ptr %176, align 1, !tbaa !7
  %177 = load i64, ptr %125, align 8, !tbaa !13
  %178 = trunc i64 %177 to i32
  %179 = urem i32 %178, 100000
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #4
  br label %180

180:                                              ; preds = %180, %174
  %181 = phi i32 [ %194, %180 ], [ 1, %174 ]
  %182 = phi i32 [ %185, %180 ], [ %179, %174 ]
  %183 = phi i32 [ %190, %180 ], [ 0, %174 ]
  %184 = freeze i32 %182
  %185 = udiv i32 %184, 10
  %186 = mul i32 %185, 10
  %187 = sub i32 %184, %186
  %188 = trunc nuw nsw i32 %187 to i8
  %189 = or disjoint i8 %188, 48
  %190 = add nuw nsw i32 %183, 1
  %191 = zext nneg i32 %183 to i64
  %192 = getelementptr inbounds nuw i8, ptr %7, i64 %191
  store i8 %189, ptr %192, align 1, !tbaa !7
  %193 = icmp samesign ult i32 %182, 10
  %194 = add nuw i32 %181, 1
  br i1 %193, label %195, label %180, !llvm.loop !15

195:                                              ; preds = %180
  %196 = add nuw nsw i32 %129, 2
  %197 = zext nneg i32 %196 to i64
  %198 = getelementptr inbounds nuw i8, ptr %144, i64 %197
  %199 = icmp ult i32 %181, 4
  br i1 %199, label %216, label %200

200:                                              ; preds = %195
  %201 = and i32 %181, -4
  br label %202

202:                                              ; preds = %202, %200
  %203 = phi i32 [ 0, %200 ], [ %212, %202 ]
  %204 = sub nuw nsw i32 %183, %203
  %205 = zext nneg i32 %204 to i64
  %206 = getelementptr inbounds nuw i8, ptr %7, i64 %205
  %207 = getelementptr inbounds i8, ptr %206, i64 -3
  %208 = load <4 x i8>, ptr %207, align 1, !tbaa !7
  %209 = shufflevector <4 x i8> %208, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %210 = zext nneg i32 %203 to i64
  %211 = getelementptr inbounds nuw i8, ptr %198, i64 %210
  store <4 x i8> %209, ptr %211, align 1, !tbaa !7
  %212 = add nuw i32 %203, 4
  %213 = icmp eq i32 %212, %201
  br i1 %213, label %214, label %202, !llvm.loop !20

214:                                              ; preds = %202
  %215 = icmp eq i32 %181, %201
  br i1 %215, label %228, label %216

216:                                              ; preds = %195, %214
  %217 = phi i32 [ 0, %195 ], [ %201, %214 ]
  br label %218

218:                                              ; preds = %216, %218
  %219 = phi i32 [ %226, %218 ], [ %217, %216 ]
  %220 = sub nuw nsw i32 %183, %219
  %221 = zext nneg i32 %220 to i64
  %222 = getelementptr inbounds nuw i8, ptr %7, i64 %221
  %223 = load i8, ptr %222, align 1, !tbaa !7
  %224 = zext nneg i32 %219 to i64
  %225 = getelementptr inbounds nuw i8, ptr %198, i64 %224
  store i8 %223, ptr %225, align 1, !tbaa !7
  %226 = add nuw i32 %219, 1
  %227 = icmp eq i32 %226, %181
  br i1 %227, label %228, label %218, !llvm.loop !21

228:                                              ; preds = %218, %214
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #4
  %229 = add nuw nsw i32 %190, %196
  %230 = icmp samesign ult i32 %229, 24
  br i1 %230, label %231, label %269

231:                                              ; preds = %228
  %232 = add nuw i32 %129, %183
  %233 = sub i32 21, %232
  %234 = icmp ult i32 %233, 12
  br i1 %234, label %252, label %235

235:                                              ; preds = %231
  %236 = add nuw i32 %129, %183
  %237 = sub i32 %229, %236
  %238 = add i32 %237, 20
  %239 = icmp ult i32 %238, %229
  br i1 %239, label %252, label %240

240:                                              ; preds = %235
  %241 = and i32 %233, -4
  %242 = add i32 %229, %241
  br label %243

243:                                              ; preds = %243, %240
  %244 = phi i32 [ 0, %240 ], [ %248, %243 ]
  %245 = add i32 %229, %244
  %246 = zext nneg i32 %245 to i64
  %247 = getelementptr inbounds nuw i8, ptr %144, i64 %246
  store <4 x i8> splat (i8 46), ptr %247, align 1, !tbaa !7
  %248 = add nuw i32 %244, 4
  %249 = icmp eq i32 %248, %241
  br i1 %249, label %250, label %243, !llvm.loop !22

250:                                              ; preds = %243
  %251 = icmp eq i32 %233, %241
  br i1 %251, label %269, label %252

252:                                              ; preds = %235, %231, %250
  %253 = phi i32 [ %229, %235 ], [ %229, %231 ], [ %242, %250 ]
  %254 = sub i32 0, %253
  %255 = and i32 %254, 7
  %256 = icmp eq i32 %255, 0
  br i1 %256, label %265, label %257

257:                                              ; preds = %252, %257
  %258 = phi i32 [ %262, %257 ], [ %253, %252 ]
  %259 = phi i32 [ %263, %257 ], [ 0, %252 ]
  %260 = zext nneg i32 %258 to i64
  %261 = getelementptr inbounds nuw i8, ptr %144, i64 %260
  store i8 46, ptr %261, align 1, !tbaa !7
  %262 = add i32 %258, 1
  %263 = add i32 %259, 1
  %264 = icmp eq i32 %263, %255
  br i1 %264, label %265, label %257, !llvm.loop !23

265:                                              ; preds = %257, %252
  %266 = phi i32 [ %253, %252 ], [ %262, %257 ]
  %267 = add i32 %253, -17
  %268 = icmp ult i32 %267, 7
  br i1 %268, label %269, label %275

269:                                              ; preds = %265, %275, %250, %228
  br i1 %64, label %270, label %321

270:                                              ; preds = %269
  %271 = and i32 %1, 1
  %272 = icmp eq i32 %1, 1
  br i1 %272, label %304, label %273

273:                                              ; preds = %270
  %274 = and i32 %1, 2147483646
  br label %324

275:                                              ; preds = %265, %275
  %276 = phi i32 [ %300, %275 ], [ %266, %265 ]
  %277 = zext nneg i32 %276 to i64
  %278 = getelementptr inbounds nuw i8, ptr %144, i64 %277
  store i8 46, ptr %278, align 1, !tbaa !7
  %279 = add i32 %276, 1
  %280 = zext nneg i32 %279 to i64
  %281 = getelementptr inbounds nuw i8, ptr %144, i64 %280
  store i8 46, ptr %281, align 1, !tbaa !7
  %282 = add i32 %276, 2
  %283 = zext nneg i32 %282 to i64
  %284 = getelementptr inbounds nuw i8, ptr %144, i64 %283
  store i8 46, ptr %284, align 1, !tbaa !7
  %285 = add i32 %276, 3
  %286 = zext nneg i32 %285 to i64
  %287 = getelementptr inbounds nuw i8, ptr %144, i64 %286
  store i8 46, ptr %287, align 1, !tbaa !7
  %288 = add i32 %276, 4
  %289 = zext nneg i32 %288 to i64
  %290 = getelementptr inbounds nuw i8, ptr %144, i64 %289
  store i8 46, ptr %290, align 1, !tbaa !7
  %291 = add i32 %276, 5
  %292 = zext nneg i32 %291 to i64
  %293 = getelementptr inbounds nuw i8, ptr %144, i64 %292
  store i8 46, ptr %293, align 1, !tbaa !7
  %294 = add i32 %276, 6
  %295 = zext nneg i32 %294 to i64
  %296 = getelementptr inbounds nuw i8, ptr %144, i64 %295
  store i8 46, ptr %296, align 1, !tbaa !7
  %297 = add i32 %276, 7
  %298 = zext nneg i32 %297 to i64
  %299 = getelementptr inbounds nuw i8, ptr %144, i64 %298
  store i8 46, ptr %299, align 1, !tbaa !7
  %300 = add i32 %276, 8
  %301 = icmp eq i32 %300, 24
  br i1 %301, label %269, label %275, !llvm.loop !24

302:                                              ; preds = %352
  %303 = icmp eq i32 %271, 0
  br i1 %303, label %321, label %304

304:                                              ; preds = %302, %270
  %305 = phi i32 [ 0, %270 ], [ %355, %302 ]
  %306 = phi i32 [ 0, %270 ], [ %354, %302 ]
  %307 = icmp ne i32 %271, 0
  tail call void @llvm.assume(i1 %307)
  %308 = mul nsw i32 %306, 7
  %309 = zext nneg i32 %305 to i64
  %310 = getelementptr inbounds nuw i8, ptr %12, i64 %309
  %311 = load i8, ptr %310, align 1, !tbaa !7
  %312 = add i8 %311, -32
  %313 = icmp ult i8 %312, 91
  br i1 %313, label %314, label %318

314:                                              ; preds = %304
  %315 = zext nneg i8 %312 to i64
  %316 = getelementptr inbounds nuw i32, ptr @switch.table.text, i64 %315
  %317 = load i32, ptr %316, align 4
  br label %318

318:                                              ; preds = %314, %304
  %319 = phi i32 [ %317, %314 ], [ 0, %304 ]
  %320 = add nsw i32 %319, %308
  br label %321

321:                                              ; preds = %318, %302, %269
  %322 = phi i32 [ 0, %269 ], [ %354, %302 ], [ %320, %318 ]
  %323 = getelementptr inbounds nuw i32, ptr %5, i64 %62
  store i32 %322, ptr %323, align 4, !tbaa !3
  ret void

324:                                              ; preds = %352, %273
  %325 = phi i32 [ 0, %273 ], [ %355, %352 ]
  %326 = phi i32 [ 0, %273 ], [ %354, %352 ]
  %327 = phi i32 [ 0, %273 ], [ %356, %352 ]
  %328 = mul nsw i32 %326, 7
  %329 = zext nneg i32 %325 to i64
  %330 = getelementptr inbounds nuw i8, ptr %12, i64 %329
  %331 = load i8, ptr %330, align 1, !tbaa !7
  %332 = add i8 %331, -32
  %333 = icmp ult i8 %332, 91
  br i1 %333, label %334, label %338

334:                                              ; preds = %324
  %335 = zext nneg i8 %332 to i64
  %336 = getelementptr inbounds nuw i32, ptr @switch.table.text, i64 %335
  %337 = load i32, ptr %336, align 4
  br label %338

338:                                              ; preds = %324, %334
  %339 = phi i32 [ %337, %334 ], [ 0, %324 ]
  %340 = add nsw i32 %339, %328
  %341 = mul nsw i32 %340, 7
  %342 = zext nneg i32 %325 to i64
  %343 = getelementptr inbounds nuw i8, ptr %12, i64 %342
  %344 = getelementptr inbounds nuw i8, ptr %343, i64 1
  %345 = load i8, ptr %344, align 1, !tbaa !7
  %346 = add i8 %345, -32
  %347 = icmp ult i8 %346, 91
  br i1 %347, label %348, label %352

348:                                              ; preds = %338
  %349 = zext nneg i8 %346 to i64
  %350 = getelementptr inbounds nuw i32, ptr @switch.table.text, i64 %349
  %351 = load i32, ptr %350, align 4
  br label %352

352:                                              ; preds = %348, %338
  %353 = phi i32 [ %351, %348 ], [ 0, %338 ]
  %354 = add nsw i32 %353, %341
  %355 = add nuw nsw i32 %325, 2
  %356 = add i32 %327, 2
  %357 = icmp eq i32 %356, %274
  br i1 %357, label %302, label %324, !llvm.loop !25
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

declare void @llvm.assume(i1 noundef) #3

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx80,+sm_80" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #4 = { nounwind }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{!5, !5, i64 0}
!8 = distinct !{!8, !9}
!9 = !{!"llvm.loop.mustprogress"}
!10 = distinct !{!10, !9}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.unroll.disable"}
!13 = !{!14, !14, i64 0}
!14 = !{!"long", !5, i64 0}
!15 = distinct !{!15, !9}
!16 = distinct !{!16, !9, !17, !18}
!17 = !{!"llvm.loop.isvectorized", i32 1}
!18 = !{!"llvm.loop.unroll.runtime.disable"}
!19 = distinct !{!19, !9, !18, !17}
!20 = distinct !{!20, !9, !17, !18}
!21 = distinct !{!21, !9, !18, !17}
!22 = distinct !{!22, !9, !17, !18}
!23 = distinct !{!23, !12}
!24 = distinct !{!24, !9, !17}
!25 = distinct !{!25, !9}
