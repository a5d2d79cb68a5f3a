import { dirname, join } from "node:path/posix"
import { parseSync } from "oxc-parser"

/** `name`: null for everything that the module exports. */
type Import = { from: string; name: string | null }
type Module = {
  imports: Import[]
  /** Names that the module declares itself. */
  declared: Set<string>
  /** `as`: null for `export *`. */
  reexports: (Import & { as: string | null })[]
}

/**
 * The source files that a process loads code of, from its main file on. Of a package's index, only the files of what
 * is imported count. `packages` contains each package's entry points, such as `@sitewire/kafka`.
 */
export function findProcessFiles(
  main: string,
  sources: ReadonlyMap<string, string>,
  packages: ReadonlyMap<string, string>,
): Set<string> {
  const found = new Set<string>()

  function add(path: string): void {
    if (found.has(path)) return
    found.add(path)
    for (const each of readModule(path, sources.get(path) ?? "").imports)
      for (const file of filesOf(path, each)) add(file)
  }

  /** The files that declare what is imported. */
  function filesOf(importer: string, { from, name }: Import): string[] {
    const path = from.startsWith(".") ? join(dirname(importer), from) : packages.get(from)
    const text = path === undefined ? undefined : sources.get(path)
    if (path === undefined || text === undefined) return []
    const { declared, reexports } = readModule(path, text)
    const own = name === null || declared.has(name) ? [path] : []
    const others = reexports.flatMap((exported) => {
      if (exported.as === null) return filesOf(path, { from: exported.from, name })
      return name === null || exported.as === name ? filesOf(path, exported) : []
    })
    return [...own, ...others]
  }

  add(main)
  return found
}

const modules = new Map<string, Module>()

function readModule(path: string, text: string): Module {
  const module = modules.get(path) ?? parseModule(path, text)
  modules.set(path, module)
  return module
}

function parseModule(path: string, text: string): Module {
  const { staticImports, dynamicImports, staticExports } = parseSync(path, text).module
  const exported = staticExports.flatMap(({ entries }) => entries).filter(({ isType }) => !isType)
  return {
    imports: [
      ...staticImports.flatMap(({ moduleRequest: { value: from }, entries }) =>
        entries.length === 0
          ? [{ from, name: null }]
          : entries
              .filter(({ isType }) => !isType)
              .map(({ importName }) => ({ from, name: importName.name ?? null })),
      ),
      ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({
        from: text.slice(start + 1, end - 1),
        name: null,
      })),
    ],
    declared: new Set(
      exported.flatMap(({ moduleRequest, exportName }) => (moduleRequest ? [] : (exportName.name ?? []))),
    ),
    reexports: exported.flatMap(({ moduleRequest, importName, exportName }) =>
      moduleRequest
        ? [{ from: moduleRequest.value, name: importName.name ?? null, as: exportName.name ?? null }]
        : [],
    ),
  }
}
