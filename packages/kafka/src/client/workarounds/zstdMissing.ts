/*
 * Defect of kafkajs 2.2.4: of Kafka's codecs it has gzip only. Node can decompress zstd, too, from 22.15 on.
 * Effect: a batch compressed with zstd stops all consumers of its topic, where the broker stores what the publisher compressed.
 * Delete this file when kafkajs decompresses zstd.
 */
import { promisify } from "node:util"
// Not by their names, because the command line runs with Node 20, too, which has none.
import zlib from "node:zlib"
import kafkajs from "kafkajs"

if ("zstdDecompress" in zlib) {
  const compress = promisify(zlib.zstdCompress)
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
    compress: ({ buffer }: { buffer: Buffer }) => compress(buffer),
    decompress: promisify(zlib.zstdDecompress),
  })
}
