/** Finds commands with which npx would download what anybody may have registered under a name. The change log lists what was. */
export function findDownloads({ path, text }: { path: string; text: string }): string[] {
  if (!/^(?!CHANGELOG).*\.md$/.test(path)) return []
  return [...text.matchAll(/\bnpx (?!--no -- |(?:--yes )?\.\/)\S+/g)].map(
    ([command]) => `${path}: ${command} may download a package: write npx --no --, or the path of an archive`,
  )
}
