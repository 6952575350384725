import { MAX_OUTPUT_BYTES } from '@fairlead/connector-runtime/output-limit';

/** The most bytes of a result that an MCP client gets whole, and of the beginning that it gets of a larger one, which is divided into files. */
export const DIVISION = { maxBytes: MAX_OUTPUT_BYTES, previewBytes: 16 * 1024 };
