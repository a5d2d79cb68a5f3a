import { z } from "zod"
import { apiProblemSchema } from "./problem.ts"

/** The body of `POST /session` of the console, which signs in. */
export const signInSchema = z
  .strictObject({
    key: z.string().max(200).optional().describe("An API key."),
    link: z.string().max(200).optional().describe("The token of a sign-in link."),
  })
  .refine(({ key, link }) => (key === undefined) !== (link === undefined), "must contain either key or link")

/** The body of `POST /session/link`, which states as whom a link signs in. */
export const linkSchema = z.strictObject({ link: z.string().max(200) })

/** The response to it: the name and the scopes of the link's key. */
export type SignInLinkOwner = Pick<Session, "name" | "scopes">

const signInMethodsSchema = z
  .object({ key: z.boolean(), oidc: z.boolean() })
  .describe("The ways to sign in that this console offers.")

/** The session of the web console, to which the request's cookie belongs. */
export const sessionSchema = z.object({
  name: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.iso.datetime(),
  /** Each request that is not GET or HEAD must contain it as `X-CSRF-Token`. */
  csrf_token: z.string(),
  sign_in: signInMethodsSchema,
})

/** Every error response of `/session`. */
export const sessionProblemSchema = apiProblemSchema.extend({ sign_in: signInMethodsSchema })

export const signInLinkSchema = z
  .object({
    id: z.string(),
    url: z
      .url()
      .describe(
        "Signs in to the web console as the API key of the request. Valid once, and shown only in this response.",
      ),
    expires_at: z.iso.datetime().describe("When the link stops working."),
  })
  .meta({ id: "SignInLink", description: "A link that signs in to the web console once." })

export type Session = z.infer<typeof sessionSchema>
export type SignInMethods = z.infer<typeof signInMethodsSchema>
export type SignInLink = z.infer<typeof signInLinkSchema>
