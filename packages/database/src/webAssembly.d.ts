/** Node has WebAssembly; TypeScript has its types only in the DOM library. */
declare namespace WebAssembly {
  type Module = object
  type Instance = { exports: Record<string, unknown> }
  function compile(bytes: Uint8Array): Promise<Module>
  function instantiate(module: Module, imports: Record<string, unknown>): Promise<Instance>
}
