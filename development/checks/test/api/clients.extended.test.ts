import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openApiDocument } from "@sitewire/console"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { installMs, run } from "./fixtures/installTools.ts"

// openApi.extended.test.ts does the same for TypeScript and Python.
const generator = "org.openapitools:openapi-generator-cli:7.25.0"
const goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
const goRuntime = "github.com/oapi-codegen/runtime@v1.9.0"

let folder: string
let document: string

const tools = needs(() => {
  for (const name of ["java", "mvn"]) findProgram(name, "Install Java 17 and Maven to generate clients.")
  return findProgram("go", "Install it to build a client in Go.")
})

beforeAll(async () => {
  if (!tools) return
  folder = await mkdtemp(join(tmpdir(), "sitewire-clients-"))
  document = join(folder, "openapi.json")
  await writeFile(document, JSON.stringify(openApiDocument()))
  const noExtras = { apiTests: "false", modelTests: "false", apiDocs: "false", modelDocs: "false" }
  const configurations = [
    { generatorName: "java", library: "native" },
    { generatorName: "go", packageName: "sitewire" },
  ].map((language) => ({
    ...language,
    inputSpec: document,
    outputDir: join(folder, language.generatorName),
    globalProperties: noExtras,
  }))
  const files = configurations.map(({ outputDir }) => `${outputDir}.json`)
  for (const [at, file] of files.entries()) await writeFile(file, JSON.stringify(configurations[at]))
  await run("mvn", ["-q", "-B", "dependency:copy", `-Dartifact=${generator}`, `-DoutputDirectory=${folder}`])
  const jar = join(folder, `${generator.split(":").slice(1).join("-")}.jar`)
  await run("java", ["-XX:TieredStopAtLevel=1", "-jar", jar, "batch", ...files], { maxBuffer: 64 << 20 })
}, installMs)

afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true })
})

test(
  "the clients of openapi-generator in Java and Go, and of oapi-codegen in Go, are generated and compile",
  async () => {
    const [java, go, oapi] = ["java", "go", "oapi"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    await mkdir(oapi)
    const configuration = join(oapi, "configuration.yaml")
    // oapi-codegen removes the schemas that only webhooks refer to, unless it is told not to.
    await writeFile(
      configuration,
      '{ "package": "sitewire", "generate": { "models": true, "client": true }, "output-options": { "skip-prune": true }, "output": "client.go" }',
    )
    const builds = [
      run("mvn", ["-q", "-B", "-Dmaven.test.skip=true", "compile"], { cwd: java }),
      run("go", ["mod", "tidy"], { cwd: go }).then(() => run("go", ["build", "./..."], { cwd: go })),
      run("go", ["run", goGenerator, "-config", configuration, document], { cwd: oapi })
        .then(() => run("go", ["mod", "init", "sitewire"], { cwd: oapi }))
        .then(() => run("go", ["get", goRuntime], { cwd: oapi }))
        .then(() => run("go", ["mod", "tidy"], { cwd: oapi }))
        .then(() => run("go", ["build", "./..."], { cwd: oapi })),
    ]
    const failures = (await Promise.allSettled(builds)).filter(({ status }) => status === "rejected")
    expect(failures).toEqual([])
  },
  installMs,
)
