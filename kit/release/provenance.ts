type Release = {
  version: string
  commit: string
  sums: readonly { file: string; sha256: string }[]
  /** Of the process. The release workflow is recognised by the variables that GitHub sets. */
  env: Record<string, string | undefined>
}

/**
 * The statement of SLSA that says from which commit, and by what, the files were built. The release workflow signs it by the identity
 * that it names as builder. A statement of another machine says that nobody has signed it.
 */
export function provenanceOf({ version, commit, sums, env }: Release) {
  const server = env.GITHUB_SERVER_URL
  const repository = `${server}/${env.GITHUB_REPOSITORY}`
  const isWorkflow = /\/release\.yml@refs\/tags\//.test(env.GITHUB_WORKFLOW_REF ?? "")
  return {
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://slsa.dev/provenance/v1",
    subject: sums.map(({ file, sha256 }) => ({ name: file, digest: { sha256 } })),
    predicate: {
      buildDefinition: {
        buildType: "urn:sitewire:npm-run-release",
        externalParameters: { version },
        resolvedDependencies: [
          {
            uri: isWorkflow ? `git+${repository}` : "urn:sitewire:local-clone",
            digest: { gitCommit: commit },
          },
        ],
      },
      runDetails: isWorkflow
        ? {
            builder: { id: `${server}/${env.GITHUB_WORKFLOW_REF}` },
            metadata: {
              invocationId: `${repository}/actions/runs/${env.GITHUB_RUN_ID}/attempts/${env.GITHUB_RUN_ATTEMPT}`,
            },
          }
        : { builder: { id: "urn:sitewire:unsigned-local-build" } },
    },
  }
}
