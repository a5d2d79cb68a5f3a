import { sites } from "../../lib/sites.js"

export const dynamic = "force-dynamic"

// Only for the tests of this example.
export const GET = () => Response.json([...sites.values()])
