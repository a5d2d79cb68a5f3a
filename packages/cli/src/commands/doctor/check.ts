import { z } from "zod"

export const checkSchema = z
  .object({
    name: z.string(),
    state: z.enum(["ok", "warning", "fault", "not_checked"]),
    detail: z.string(),
    /** What to do. Null: nothing. */
    advice: z.string().nullable(),
  })
  .meta({ id: "Check" })

export type Check = z.infer<typeof checkSchema>

export const ok = (name: string, detail: string): Check => ({ name, state: "ok", detail, advice: null })

export const warning = (name: string, detail: string, advice: string): Check => ({
  name,
  state: "warning",
  detail,
  advice,
})

export const fault = (name: string, detail: string, advice: string): Check => ({
  name,
  state: "fault",
  detail,
  advice,
})

export const notChecked = (name: string, detail: string, advice: string | null = null): Check => ({
  name,
  state: "not_checked",
  detail,
  advice,
})
