import { expect, test } from "vitest"
import { type Credential, cacheCredential } from "./cacheCredential.ts"

/** A clock that the test sets, and a source whose next result it decides. */
function start() {
  const state = { now: 0, reads: 0, result: (): Promise<Credential> => Promise.resolve(token("first")) }
  const token = (value: string): Credential => ({ value, reuseForMs: 800, validForMs: 1_000 })
  const read = cacheCredential(
    () => {
      state.reads += 1
      return state.result()
    },
    () => state.now,
  )
  const fail = () => Promise.reject(new Error("no token"))
  return { state, token, read, fail }
}

test("a credential is read once for all callers, and again when it must be renewed", async () => {
  const { state, token, read } = start()
  expect(await Promise.all([read(), read(), read()])).toEqual(["first", "first", "first"])
  state.now = 799
  expect(await read()).toBe("first")
  expect(state.reads).toBe(1)
  state.now = 800
  state.result = async () => token("second")
  expect(await Promise.all([read(), read()])).toEqual(["second", "second"])
  expect(state.reads).toBe(2)
})

test("the time of reading is part of the lifetime", async () => {
  const { state, token, read } = start()
  state.result = async () => {
    state.now += 700
    return token("slow")
  }
  await read()
  state.now = 800
  await read()
  expect(state.reads).toBe(2)
})

test("while a renewal fails, the credential is used to its end, and the source is asked once a second", async () => {
  const { state, token, read, fail } = start()
  await read()
  state.result = fail
  state.now = 900
  expect(await read()).toBe("first")
  expect(await read()).toBe("first")
  expect(state.reads).toBe(2)
  state.now = 1_000
  await expect(read()).rejects.toThrow("no token")
  expect(state.reads).toBe(2)
  state.now = 1_900
  await expect(Promise.all([read(), read()])).rejects.toThrow("no token")
  expect(state.reads).toBe(3)
  state.now = 2_900
  state.result = async () => token("second")
  expect(await read()).toBe("second")
})
