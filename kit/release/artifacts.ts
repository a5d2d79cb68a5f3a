/** What users install. `command`: run by sh in `folder`; it writes the artifact's files into the folder `$OUT`. */
export type Artifact = {
  name: string
  folder: string
  command: string
  needs: string[]
}

/** The folder of `.sitewire/release` in which the artifact's files are. */
export const folderOf = ({ name }: Pick<Artifact, "name">) => name.replaceAll(/[^A-Za-z0-9]+/g, "-")

const library = (name: string, folder: string, needs: string[]): Artifact => ({
  name,
  folder,
  command: './pack.sh "$OUT"',
  needs,
})

export const artifacts: readonly Artifact[] = [
  library("npm package @sitewire/signing", "packages/signing", ["npm"]),
  {
    name: "npm package of the CLI",
    folder: ".",
    command: 'npm run --silent pack -w packages/cli -- "$OUT"',
    needs: ["npm"],
  },
  library("Python wheel", "kit/python", ["python3"]),
  library("Go module", "kit/go", ["go"]),
  library("Java archive", "kit/java", ["mvn", "javac"]),
  library("Ruby gem", "kit/ruby", ["gem"]),
  library("Composer archive", "kit/php", ["php", "composer", "apt-get"]),
  {
    name: "manifests",
    folder: ".",
    command:
      'git archive --format=tar --prefix=sitewire-deploy/ HEAD deploy | gzip --no-name > "$OUT/sitewire-deploy.tgz"',
    needs: ["git", "gzip"],
  },
  { name: "Helm chart", folder: ".", command: 'deploy/packChart "$OUT"', needs: ["python3", "tar", "gzip"] },
]

/** Files that state a version, with the text that states it. `VERSION` stands for it. */
export const versions: readonly { file: string; states: string }[] = [
  ...[
    "package.json",
    "packages/signing/package.json",
    "packages/cli/package.json",
    "kit/publish/node/package.json",
  ].map((file) => ({ file, states: '"version": "VERSION"' })),
  { file: "kit/php/composer.json", states: '"version": "VERSION"' },
  { file: "kit/python/pyproject.toml", states: 'version = "VERSION"' },
  { file: "kit/publish/python/pyproject.toml", states: 'version = "VERSION"' },
  { file: "kit/go/pack.go", states: 'version = "vVERSION"' },
  { file: "kit/java/pom.xml", states: "<version>VERSION</version>" },
  { file: "kit/publish/java/pom.xml", states: "<version>VERSION</version>" },
  { file: "deploy/chart/Chart.yaml", states: "version: VERSION" },
  { file: "kit/ruby/lib/sitewire/version.rb", states: '= "VERSION"' },
  { file: "kit/python/src/sitewire/__init__.py", states: '__version__ = "VERSION"' },
  { file: "packages/console/src/api/openapi/openApiDocument.ts", states: 'version: "VERSION"' },
  { file: "packages/contracts/src/topics/asyncApiDocument.ts", states: 'version: "VERSION"' },
]
