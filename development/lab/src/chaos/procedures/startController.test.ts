import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startController } from "./startController.ts"

test("a change is undone, unless the controller is suspended, and never while another change is made", async () => {
  let replicas = 2
  let isChanging = false
  const controller = startController(async () => {
    expect(isChanging).toBe(false)
    replicas = 2
  })
  onTestFinished(() => controller.end())
  const scale = (count: number) =>
    controller.inTurn(async () => {
      isChanging = true
      replicas = count
      await new Promise((resolve) => setImmediate(resolve))
      expect(replicas).toBe(count)
      isChanging = false
    })
  await scale(0)
  await waitUntil("the controller", () => replicas === 2)
  controller.setSuspended(true)
  await scale(1)
  controller.setSuspended(false)
  expect(replicas).toBe(1)
  await waitUntil("the controller", () => replicas === 2)
})
