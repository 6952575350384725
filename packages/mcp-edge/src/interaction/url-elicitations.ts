import { jsonValue } from '../json-value.ts';

/** The error URLElicitationRequired. Source: MCP 2025-11-25, "URL Elicitation Required". */
const REQUIRED = -32_042;
const REQUIRED_TEXT = Buffer.from(String(REQUIRED));
/** Maximum length of an error with elicitations; longer answers are results. */
const MAX_ANSWER_BYTES = 8 * 1024;
const MAX_ELICITATIONS = 10;
const MAX_ID_LENGTH = 100;

/** The ids of the elicitations that must be completed before the same call works. */
export function demandedElicitations(answer: Uint8Array): readonly string[] {
  if (answer.length > MAX_ANSWER_BYTES || !Buffer.from(answer).includes(REQUIRED_TEXT)) return [];
  const error = memberOf(jsonValue(answer), 'error');
  const elicitations = memberOf(memberOf(error, 'data'), 'elicitations');
  if (memberOf(error, 'code') !== REQUIRED || !Array.isArray(elicitations)) return [];
  return elicitations.slice(0, MAX_ELICITATIONS).flatMap((elicitation) => {
    const id = memberOf(elicitation, 'elicitationId');
    return typeof id === 'string' && id.length <= MAX_ID_LENGTH ? [id] : [];
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
