import type { Json } from '@fairlead/connector-model/json';

/** Type of BIT columns in the protocol. */
const BIT = 16;

/**
 * The JSON of a value as the driver returns it. Large numbers, decimal numbers and times are text; JSON is parsed; bytes are `0x…`; a BIT
 * is a number, or text if it is too large for a number.
 */
export function columnValue(value: unknown, columnType: number | undefined): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return String(value);
    case 'object':
      if (value === null) return null;
      if (Buffer.isBuffer(value)) return columnType === BIT ? bitValue(value) : `0x${value.toString('hex')}`;
      // The driver parsed this from the text of a JSON column.
      return value as Json;
    default:
      return null;
  }
}

function bitValue(bytes: Buffer): Json {
  const value = BigInt(`0x${bytes.toString('hex') || '0'}`);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}
