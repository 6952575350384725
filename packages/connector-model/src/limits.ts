/**
 * Limits of a compiled connector. Code that creates one from third-party data (an MCP server's tools) stays within
 * them, because the catalogue refuses a whole connector if one part exceeds them.
 */

/** Bytes of a connector's JSON. */
export const MAX_CONNECTOR_BYTES = 8 * 1024 * 1024;
/**
 * Levels of a connector's JSON. The public form of a tool carries its schemas as protobuf structs: one level of JSON is
 * two of protobuf, whose decoder stops at 100.
 */
export const MAX_CONNECTOR_DEPTH = 40;
/** Levels of one schema: the connector, its list of tools and the tool are around it. */
export const MAX_SCHEMA_DEPTH = MAX_CONNECTOR_DEPTH - 3;
/** Bytes of one schema's JSON, so that a page of tools fits one message. */
export const MAX_SCHEMA_BYTES = 64 * 1024;
export const MAX_TOOLS = 1000;
export const MAX_TRIGGER_TYPES = 100;

// Lengths of texts, in UTF-16 units.
export const MAX_CONNECTOR_NAME_LENGTH = 300;
export const MAX_VERSION_LENGTH = 64;
export const MAX_DESCRIPTION_LENGTH = 1024;
export const MAX_TOOL_NAME_LENGTH = 200;
/** The length of a tool's name at its MCP server. */
export const MAX_MCP_TOOL_NAME_LENGTH = 500;

/** Whether a JSON value has more than `levels` levels of objects and arrays. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

/** The bytes of a value's JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
