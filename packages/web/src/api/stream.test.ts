import { afterEach, expect, test, vi } from "vitest"
import { queryClient } from "./queryClient.ts"
import { followChanges } from "./stream.ts"

const sources: EventTarget[] = []

class Source extends EventTarget {
  constructor() {
    super()
    sources.push(this)
  }
  close() {}
}

afterEach(() => {
  vi.unstubAllGlobals()
  queryClient.clear()
})

test("a query that by mistake has no key does not stop live updates of the others", () => {
  vi.stubGlobal("EventSource", Source)
  queryClient.getQueryCache().build(queryClient, {} as never)
  queryClient.setQueryData(["channels", "acme"], {})
  const stop = followChanges()
  sources[0]?.dispatchEvent(new MessageEvent("reset", { data: "{}" }))
  stop()
  expect(queryClient.getQueryState(["channels", "acme"])?.isInvalidated).toBe(true)
})
