/** The part of WebAssembly that loading the schema engine needs: Node has it, `@types/node` leaves it to the DOM library. */
declare namespace WebAssembly {
  type Module = object
  type Instance = { exports: Record<string, unknown> }
  function compile(bytes: Uint8Array): Promise<Module>
  function instantiate(module: Module, imports: Record<string, unknown>): Promise<Instance>
}
