import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, expect, test } from "vitest"
import { pick } from "./pick.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = await mkdtemp(join(tmpdir(), "sitewire-pick-"))
afterEach(() => rm(folder, { recursive: true, force: true }))

test("an image gets the workspaces that its process imports, and nothing that only tests need", async () => {
  const picked = await pick(root, "services/trigger-gateway", folder)
  expect(picked).toContain("packages/kafka")
  expect(picked).not.toContain("packages/testkit")
  expect(picked).not.toContain("packages/egress")
  for (const at of [...picked, ""]) {
    const manifest = JSON.parse(await readFile(join(folder, at, "package.json"), "utf8"))
    expect(manifest).not.toHaveProperty("devDependencies")
  }
  const { workspaces } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  expect(workspaces).toEqual(picked)
})

test("a name that is no workspace is refused with those that are", async () => {
  await expect(pick(root, "services/gateway", folder)).rejects.toThrow("services/trigger-gateway")
})
