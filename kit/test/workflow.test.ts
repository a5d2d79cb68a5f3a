import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { expect, onTestFinished, test } from "vitest"
import { parse } from "yaml"
import { artifacts, folderOf } from "../release/artifacts.ts"
import { provenanceOf } from "../release/provenance.ts"

type Job = {
  environment?: string
  permissions?: Record<string, string>
  needs?: string | string[]
  steps: { run?: string; uses?: string; with?: Record<string, unknown> }[]
}

const root = join(import.meta.dirname, "../..")
const folder = join(root, ".github/workflows")
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name), "utf8"),
}))
const release = parse(workflows.find(({ name }) => name === "release.yml")?.text ?? "")
const jobs: [string, Job][] = Object.entries(release.jobs)

test("exactly one job publishes the files of each artifact that the release builds", () => {
  const named = jobs.flatMap(([, { steps }]) =>
    steps.flatMap(({ run = "" }) => [...run.matchAll(/(?<=release\/)[\w-]+(?=\/)/g)].map(([name]) => name)),
  )
  expect(named.sort()).toEqual(artifacts.map(folderOf).sort())
})

test("every action is pinned to a commit, with its version as a comment", () => {
  const uses = workflows.flatMap(({ text }) => text.match(/^.*\buses:.*$/gm) ?? [])
  expect(uses.length).toBeGreaterThan(20)
  for (const line of uses) expect(line).toMatch(/ uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  const versions = new Map<string, Set<string>>()
  for (const line of uses) {
    const [, action = "", version = ""] = /uses: (\S+)@(.*)/.exec(line) ?? []
    versions.set(action, (versions.get(action) ?? new Set()).add(version))
  }
  for (const [action, used] of versions) expect(used.size, action).toBe(1)
})

test("each job has the permissions that its steps need, and no others", () => {
  expect(release.permissions).toEqual({})
  for (const [name, { permissions, steps }] of jobs) {
    const does = JSON.stringify(steps)
    const needed = {
      ...(/actions\/checkout|attest-build-provenance/.test(does) ? { contents: "read" } : {}),
      ...(/gh release create/.test(does) ? { contents: "write" } : {}),
      ...(/registry login|docker login/.test(does) ? { packages: "write" } : {}),
      ...(/cosign|npm publish|uv publish|rubygems-credentials/.test(does) ? { "id-token": "write" } : {}),
      ...(/attest-build-provenance/.test(does) ? { attestations: "write" } : {}),
    }
    expect(permissions, name).toEqual(needed)
  }
})

test("what publishes waits for the signatures and for the environment's reviewers, and only it gets secrets", () => {
  for (const [name, job] of jobs.filter(([name]) => name !== "build" && name !== "sign")) {
    expect(job.environment, name).toBe("release")
    expect(job.needs, name).toEqual(expect.arrayContaining(["build", "sign"]))
  }
  for (const name of ["build", "sign"]) expect(JSON.stringify(release.jobs[name])).not.toContain("secrets.")
  const { needs: all } = release.jobs.github
  expect(new Set(all)).toEqual(new Set(jobs.map(([name]) => name).filter((name) => name !== "github")))
  for (const { name, text } of workflows) {
    expect(text, name).not.toContain("pull_request_target")
    // What somebody else chose, such as the name of a branch, would become a part of the script.
    const all: [string, Job][] = Object.entries(parse(text).jobs)
    for (const { run = "" } of all.flatMap(([, { steps }]) => steps)) expect(run, name).not.toContain("${{")
  }
})

test("npm is that of the Node of this repository", () => {
  const [setUp] = (release.jobs.npm as Job).steps.filter(({ uses }) =>
    uses?.startsWith("actions/setup-node@"),
  )
  expect(setUp?.with?.["node-version"]).toBe(readFileSync(join(root, ".node-version"), "utf8").trim())
})

test("the provenance statement names the workflow that signs it, and that of another machine says that nobody does", () => {
  const of = {
    version: "0.1.0",
    commit: "c0ffee",
    sums: [{ file: "Ruby-gem/sitewire-0.1.0.gem", sha256: "ab" }],
  }
  const local = provenanceOf({ ...of, env: {} })
  expect(local.subject).toEqual([{ name: "Ruby-gem/sitewire-0.1.0.gem", digest: { sha256: "ab" } }])
  expect(local.predicate.runDetails).toEqual({ builder: { id: "urn:sitewire:unsigned-local-build" } })
  const env = {
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: "sitewire/sitewire",
    GITHUB_WORKFLOW_REF: "sitewire/sitewire/.github/workflows/release.yml@refs/tags/v0.1.0",
    GITHUB_RUN_ID: "7",
    GITHUB_RUN_ATTEMPT: "1",
  }
  const { buildDefinition, runDetails } = provenanceOf({ ...of, env }).predicate
  expect(runDetails).toEqual({
    builder: {
      id: "https://github.com/sitewire/sitewire/.github/workflows/release.yml@refs/tags/v0.1.0",
    },
    metadata: { invocationId: "https://github.com/sitewire/sitewire/actions/runs/7/attempts/1" },
  })
  expect(buildDefinition.resolvedDependencies).toEqual([
    { uri: "git+https://github.com/sitewire/sitewire", digest: { gitCommit: "c0ffee" } },
  ])
  const inCi = { ...env, GITHUB_WORKFLOW_REF: "sitewire/sitewire/.github/workflows/ci.yml@refs/heads/main" }
  expect(provenanceOf({ ...of, env: inCi }).predicate.runDetails).toEqual(local.predicate.runDetails)
})

test("a repository for Go or Packagist gets the files of an archive as a tagged commit, once", (context) => {
  for (const tool of ["git", "zip", "unzip"]) needs(() => findProgram(tool, "Install it."), context)
  const work = mkdtempSync(join(tmpdir(), "sitewire-tag-"))
  onTestFinished(() => rmSync(work, { recursive: true }))
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: work, encoding: "utf8", stdio: "pipe" })
  run("git", "init", "--quiet", "--bare", "--initial-branch=main", "mirror.git")
  const push = (version: string, files: Record<string, string>) => {
    const content = join(work, "module@v1")
    mkdirSync(content)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(content, name), text)
    run("zip", "--quiet", "--recurse-paths", `${version}.zip`, "module@v1")
    rmSync(content, { recursive: true })
    const archive = join(work, `${version}.zip`)
    const output = run(
      join(root, "kit/release/pushTag"),
      archive,
      "module@v1",
      join(work, "mirror.git"),
      version,
    )
    rmSync(archive)
    return output
  }
  const shown = (of: string) => run("git", "--git-dir=mirror.git", ...of.split(" "))

  const first = { "go.mod": "module sitewire\n", "old.go": "package sitewire\n" }
  expect(push("0.1.0", first)).toBe("pushed v0.1.0\n")
  expect(push("0.2.0", { "go.mod": "module sitewire\n", "new.go": "package sitewire\n" })).toBe(
    "pushed v0.2.0\n",
  )
  expect(shown("ls-tree --name-only v0.2.0")).toBe("go.mod\nnew.go\n")
  expect(shown("show v0.1.0:old.go")).toBe(first["old.go"])
  expect(shown("log --format=%s main")).toBe("Version 0.2.0\nVersion 0.1.0\n")

  expect(push("0.1.0", first)).toBe("v0.1.0 exists already\n")
  expect(() => push("0.1.0", { "go.mod": "module changed\n" })).toThrow(
    /v0\.1\.0 exists in .* with other content/,
  )
  expect(shown("show v0.1.0:go.mod")).toBe(first["go.mod"])
})
