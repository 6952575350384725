import { fileURLToPath } from 'node:url';

/** Environment of a stack whose catalog has a canary by its rules, without any replica of it. */
export const WITH_CANARY = {
  CANARY_RULES: fileURLToPath(new URL('canary-rules', import.meta.url)),
};
