//! Texture, surface and sampler objects of a device.

use std::sync::{Arc, MutexGuard, PoisonError};

use ptx_exec::texture::{Handle, Image, Opaque, Sampler, SharedImage, Texture, TextureError, TextureSet};

use crate::{Device, DeviceError, Module};

impl Device {
    /// Sets the textures, samplers and surfaces for subsequent launches, replacing the previous ones. Variables of
    /// modules are bound to them by name; a 64-bit parameter receives the [value](ptx_exec::texture::Handle::value) of
    /// a handle.
    pub fn set_textures(&self, textures: Arc<TextureSet>) {
        *self.textures() = textures;
    }

    fn textures(&self) -> MutexGuard<'_, Arc<TextureSet>> {
        self.inner.textures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The textures for a launch that starts now.
    pub(crate) fn textures_now(&self) -> Arc<TextureSet> {
        self.textures().clone()
    }

    /// Changes the textures for subsequent launches. Running launches keep theirs.
    fn change(
        &self,
        change: impl FnOnce(&mut TextureSet) -> Result<Handle, TextureError>,
    ) -> Result<Handle, DeviceError> {
        self.check()?;
        Ok(change(Arc::make_mut(&mut self.textures()))?)
    }

    /// Creates an image for textures and surfaces: a CUDA array, whose texels are copied, or linear memory of this
    /// device, with a pitch if it has two axes.
    ///
    /// # Errors
    /// [`DeviceError::Texture`] for images that the CUDA driver refuses; [`DeviceError::Memory`] for linear memory that is not in one region.
    ///
    /// ```
    /// use ptx_device::texture::{ChannelFormat, Extent, Filter, Image, Sampler, Texture};
    /// use ptx_device::{Device, Module, Shape};
    ///
    /// let device = Device::new();
    /// let module = Module::load(&device, "between.ptx", ".version 8.0\n.target sm_80\n.address_size 64
    /// .visible .entry between(.param .u64 texture, .param .u64 to)
    /// {
    ///     .reg .b64 %t, %to;
    ///     .reg .f32 %x, %y, %z, %w;
    ///     ld.param.u64 %t, [texture];
    ///     ld.param.u64 %to, [to];
    ///     mov.f32 %x, 0f3FC00000;   // 1.5: between the centres of texels 0 and 1 is 1.0, so this is texel 1
    ///     tex.1d.v4.f32.f32 {%x, %y, %z, %w}, [%t, {%x}];
    ///     st.global.f32 [%to], %x;
    ///     mov.f32 %x, 0f3FA00000;   // 1.25: a quarter of texel 0, three quarters of texel 1
    ///     tex.1d.v4.f32.f32 {%x, %y, %z, %w}, [%t, {%x}];
    ///     st.global.f32 [%to + 4], %x;
    ///     ret;
    /// }")?;
    ///
    /// let texels: Vec<u8> = [10f32, 20.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    /// let image = device.image(Image::array(ChannelFormat::Float, 1, Extent::D1 { width: 2 }, texels))?;
    /// let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
    /// let texture = device.texture(&image, &Texture { sampler: Some(linear), ..Texture::new(0) })?;
    ///
    /// let to = device.allocate(8)?;
    /// module.kernel("between")?.launch(&Shape::default(), &[texture.into(), to.into()])?;
    /// let mut found = [0; 8];
    /// device.read(to, &mut found)?;
    /// assert_eq!(found, [20f32.to_le_bytes(), 17.5f32.to_le_bytes()].concat()[..]);
    /// device.destroy(texture)?;
    /// # Ok::<(), ptx_device::DeviceError>(())
    /// ```
    pub fn image(&self, image: Image) -> Result<SharedImage, DeviceError> {
        self.check()?;
        let image = SharedImage::new(image)?;
        if let Some((address, bytes)) = image.linear_memory() {
            self.inner.memory.require(address, bytes)?;
        }
        Ok(image)
    }

    /// Creates a texture object, like `cuTexObjectCreate`. The image index in `texture` is ignored.
    ///
    /// # Errors
    /// [`DeviceError::Texture`] for textures that the CUDA driver refuses.
    pub fn texture(&self, image: &SharedImage, texture: &Texture) -> Result<Handle, DeviceError> {
        self.change(|set| set.add_texture(image, texture))
    }

    /// Creates a surface object of a level of an array, like `cuSurfObjectCreate`.
    ///
    /// # Errors
    /// See [`Device::texture`].
    pub fn surface(&self, image: &SharedImage, level: u32) -> Result<Handle, DeviceError> {
        self.change(|set| set.add_surface(image, level))
    }

    /// Creates a sampler, for modules with `.target texmode_independent`.
    ///
    /// # Errors
    /// See [`Device::texture`].
    pub fn sampler(&self, sampler: Sampler) -> Result<Handle, DeviceError> {
        self.change(|set| set.add_sampler(sampler))
    }

    /// Destroys a texture, surface or sampler, once all work of the device is complete. Kernels that use its handle later are stopped.
    ///
    /// # Errors
    /// [`DeviceError::Texture`] for invalid handles.
    pub fn destroy(&self, handle: Handle) -> Result<(), DeviceError> {
        self.wait();
        Ok(Arc::make_mut(&mut self.textures()).remove(handle)?)
    }
}

impl Module {
    /// Binds a `.texref`, `.samplerref` or `.surfref` variable of the module to a texture, sampler or surface of its
    /// device, for subsequent launches; `None` restores the object of its name in [`Device::set_textures`].
    ///
    /// # Errors
    /// [`DeviceError::Texture`] if there is no such variable, it has another type, or the handle is invalid.
    pub fn bind(&self, name: &str, handle: Option<Handle>) -> Result<(), DeviceError> {
        self.device().check()?;
        if let Some(handle) = handle {
            self.device().textures_now().require(handle)?;
        }
        Ok(self.image().bind(name, handle)?)
    }

    /// The kind of the `.texref`, `.samplerref` or `.surfref` variable of this name, if there is one.
    pub fn reference(&self, name: &str) -> Option<Opaque> {
        self.image().reference(name)
    }
}
