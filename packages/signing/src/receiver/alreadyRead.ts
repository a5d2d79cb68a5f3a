export const alreadyRead = () =>
  new TypeError(
    "The body was read before this handler could, and a signature covers the raw bytes. Put the handler before every body " +
      "parser, on this route at least, or pass the raw bytes to constructEvent.",
  )
