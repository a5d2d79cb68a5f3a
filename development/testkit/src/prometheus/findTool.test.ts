import { expect, test, vi } from "vitest"
import { findTool } from "./findTool.ts"

test("a missing program is an error that says how to install it", () => {
  vi.stubEnv("PATH", "/nowhere")
  expect(() => findTool("prometheus")).toThrow(/prometheus is not installed.*apt-get install prometheus/)
  vi.unstubAllEnvs()
})
