import { MAX_OUTPUT_BYTES } from '@fairlead/connector-runtime/output-limit';

/** Largest result that an MCP client gets whole, and size of the preview of a larger one, which is divided into files; in bytes. */
export const DIVISION = { maxBytes: MAX_OUTPUT_BYTES, previewBytes: 16 * 1024 };
