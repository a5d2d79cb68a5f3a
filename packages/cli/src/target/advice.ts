import { localStackFile } from "./localStack.ts"

/** What to do if an address does not respond. `local`: the address is from the local stack's file. */
export function unreachableAdvice(local: boolean): string {
  return local
    ? `The address is from ${localStackFile}, so the local stack has probably stopped: run npm start.`
    : "Check the address and that the server runs. To run everything on this machine: npm start."
}

export function missingAdvice(what: string, setting: string): string {
  return (
    `The address of ${what} is not configured: there is no ${localStackFile} in this folder or its parents. ` +
    `Start the local stack (npm start), or give ${setting}.`
  )
}
