import { withinDeadline } from "../withinDeadline.ts"
import type { OffsetCommit } from "./topicPartition.ts"

const commitEveryMs = 250

type Pending = { commits: OffsetCommit[]; markCommitted(): void }

/** Commits what is done, from time to time. A failed commit is repeated with the next one. */
export function commitOffsets(
  pendingCommits: () => Pending,
  send: (commits: OffsetCommit[]) => Promise<void> | undefined,
  onFailed: (error: unknown) => void,
) {
  let committing: Promise<boolean> | null = null
  const timer = setInterval(() => void commitInTurn(), commitEveryMs)

  async function commit(): Promise<boolean> {
    const { commits, markCommitted } = pendingCommits()
    if (commits.length === 0) return true
    try {
      await send(commits)
      markCommitted()
      return true
    } catch (error) {
      onFailed(error)
      return false
    }
  }

  function commitInTurn(): Promise<boolean> {
    committing ??= commit().finally(() => {
      committing = null
    })
    return committing
  }

  return {
    commit,
    async commitLast(remainingMs: () => number): Promise<boolean> {
      clearInterval(timer)
      // This may be an earlier commit, which lacks the last records.
      await withinDeadline(commitInTurn(), remainingMs(), false)
      return withinDeadline(commitInTurn(), remainingMs(), false)
    },
  }
}
