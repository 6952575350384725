/**
 * Limits of a compiled connector. Code that creates a connector from third-party data (an MCP server's tools) stays
 * within them, because the catalogue refuses the whole connector if one part exceeds a limit.
 */

/** Maximum bytes of a connector's JSON. */
export const MAX_CONNECTOR_BYTES = 8 * 1024 * 1024;
/**
 * Maximum depth of a connector's JSON. The public form of a tool contains its schemas as protobuf structs, where one
 * level of JSON takes two levels; protobuf decoders stop at 100.
 */
export const MAX_CONNECTOR_DEPTH = 40;
/** Maximum depth of one schema: the connector, the list of tools and the tool take the rest. */
export const MAX_SCHEMA_DEPTH = MAX_CONNECTOR_DEPTH - 3;
/** Maximum bytes of one schema's JSON, so that a page of tools fits one message. */
export const MAX_SCHEMA_BYTES = 64 * 1024;
export const MAX_TOOLS = 1000;
export const MAX_TRIGGER_TYPES = 100;

// Maximum lengths of texts, in UTF-16 units.
export const MAX_CONNECTOR_NAME_LENGTH = 300;
export const MAX_VERSION_LENGTH = 64;
export const MAX_DESCRIPTION_LENGTH = 1024;
export const MAX_TOOL_NAME_LENGTH = 200;
/** Maximum length of a tool's name at its MCP server. */
export const MAX_MCP_TOOL_NAME_LENGTH = 500;

/** Whether a JSON value is nested deeper than `levels`. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

/** The number of bytes of a value's JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
