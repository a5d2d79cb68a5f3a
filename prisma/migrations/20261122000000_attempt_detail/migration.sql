-- Why there was no answer, in a sentence: a class like "tls" does not tell a partner what to mend.
ALTER TABLE "attempt" ADD COLUMN "detail" TEXT;
