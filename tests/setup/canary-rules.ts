import { fileURLToPath } from 'node:url';

/** Environment of a stack whose rules define a canary of catalog, without a replica of it. */
export const WITH_CANARY = {
  CANARY_RULES: fileURLToPath(new URL('canary-rules', import.meta.url)),
};
