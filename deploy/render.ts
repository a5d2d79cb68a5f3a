import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { promisify } from "node:util"
import { parse, parseAllDocuments, stringify } from "yaml"
import { z } from "zod"

const root = join(import.meta.dirname, "..")
const tree = join(root, "deploy/kustomize")
const examples = readdirSync(join(root, "deploy/examples"))
const execute = promisify(execFile)

const rendered = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
})

export type Rendered = z.infer<typeof rendered>

const kustomization = z.looseObject({
  components: z.array(z.string()),
  images: z.array(z.looseObject({ name: z.string(), newTag: z.string() })),
  configMapGenerator: z.array(z.looseObject({ name: z.string(), literals: z.array(z.string()) })),
})

/** What differs from an overlay as it is. */
export type Changes = {
  /** Names of folders of `deploy/kustomize/components` and `deploy/examples`. */
  components?: readonly string[]
  tag?: string
  /** Added to the literals of these ConfigMaps, or instead of those with the same name. */
  settings?: Record<string, Record<string, string>>
  /** Further fields of the kustomization. */
  more?: Record<string, unknown>
}

export type Overlay = "production" | "single-node"

/** Renders an overlay with changes, like `kubectl apply -k`. Warnings are errors. */
export async function renderOverlay(overlay: Overlay, changes: Changes = {}): Promise<Rendered[]> {
  return parseRendered(await renderOverlayText(overlay, changes))
}

export function parseRendered(text: string): Rendered[] {
  return parseAllDocuments(text).map((document) => rendered.parse(document.toJS()))
}

const texts = new Map<string, Promise<string>>()

export function renderOverlayText(overlay: Overlay, changes: Changes = {}): Promise<string> {
  const key = JSON.stringify([overlay, changes])
  const text = texts.get(key) ?? renderAnew(overlay, changes)
  texts.set(key, text)
  return text
}

async function renderAnew(overlay: Overlay, changes: Changes): Promise<string> {
  const file = join(tree, "overlays", overlay, "kustomization.yaml")
  const changed = change(kustomization.parse(parse(await readFile(file, "utf8"))), changes)
  const parent = join(root, ".sitewire")
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, "overlay-"))
  try {
    const text = stringify(changed).replaceAll("../../", `${relative(folder, tree)}/`)
    await writeFile(join(folder, "kustomization.yaml"), text)
    return await runKustomize(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function change(
  overlay: z.infer<typeof kustomization>,
  { components, tag, settings = {}, more = {} }: Changes,
): z.infer<typeof kustomization> {
  const changed = structuredClone(overlay)
  if (components)
    changed.components = components.map((name) =>
      examples.includes(name) ? `../../../examples/${name}` : `../../components/${name}`,
    )
  if (tag) for (const image of changed.images) image.newTag = tag
  for (const [name, literals] of Object.entries(settings)) {
    let generator = changed.configMapGenerator.find((one) => one.name === name)
    if (!generator) {
      // That of one process is not in the base.
      generator = { name, ...(name.startsWith("sitewire-") && { behavior: "merge" }), literals: [] }
      changed.configMapGenerator.push(generator)
    }
    const kept = generator.literals.filter((literal) => !((literal.split("=")[0] ?? "") in literals))
    generator.literals = [...kept, ...Object.entries(literals).map(([key, value]) => `${key}=${value}`)]
  }
  return { ...changed, ...more }
}

let tools: Promise<string> | undefined

/** The folder of the tools, which are installed at the first call. */
export function toolsFolder(): Promise<string> {
  tools ??= execute(join(root, "deploy/installTools")).then(({ stdout }) => stdout.trim())
  return tools
}

async function runKustomize(folder: string): Promise<string> {
  const kubectl = join(await toolsFolder(), "bin/kubectl")
  const { stdout, stderr } = await execute(kubectl, ["kustomize", folder], { maxBuffer: 16 * 1024 * 1024 })
  // kustomize only warns of deprecated fields.
  if (stderr !== "") throw new Error(`kubectl kustomize warns: ${stderr}`)
  return stdout
}
