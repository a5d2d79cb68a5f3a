/** What Node 20 lacks and the packages of the CLI use. */
function withResolvers<T>(this: PromiseConstructor): PromiseWithResolvers<T> {
  const made: Partial<PromiseWithResolvers<T>> = {}
  made.promise = new this<T>((resolve, reject) => {
    made.resolve = resolve
    made.reject = reject
  })
  return made as PromiseWithResolvers<T>
}

Promise.withResolvers ??= withResolvers
