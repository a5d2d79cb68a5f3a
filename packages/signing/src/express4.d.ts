// Express 4 comes without types. What the tests use of it is as in Express 5.
declare module "express-4" {
  export { default } from "express"
}
