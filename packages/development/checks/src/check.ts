export type Check = {
  name: string
  /** `root` is the repository's folder, with a slash at the end. */
  run(root: URL): Promise<CheckResult>
}

export type CheckResult = {
  summary: string
  /**
   * Each line states one problem: what is wrong, where, and what to do. The check passes if there are none.
   */
  problems: string[]
}
