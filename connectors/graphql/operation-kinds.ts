import { HandlerError } from '@fairlead/connector-runtime/handler';

/** Tokens: text between two others, tokens whose content must be skipped (comments, strings), names, and single characters. */
const TOKEN =
  /[\s,\uFEFF]+|#[^\n\r]*|"""(?:[^"\\]|\\"""|\\|"(?!""))*"""|"(?:[^"\\\n\r]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*|[^]/gy;
const OPERATIONS: readonly string[] = ['query', 'mutation', 'subscription'];

/**
 * The kinds of the operations in a GraphQL document, in order. Throws HandlerError for a text with anything but operations and fragments.
 */
export function operationKinds(document: string): readonly string[] {
  const kinds: string[] = [];
  /** The open brackets, of all kinds. */
  const open: string[] = [];
  /** Whether a definition has begun whose selection has not ended. */
  let isWithin = false;
  for (const [token] of document.matchAll(TOKEN)) {
    if (/^[\s,#\uFEFF]/.test(token)) continue;
    if (open.length === 0 && !isWithin) {
      if (token === '{') kinds.push('query');
      else if (OPERATIONS.includes(token)) kinds.push(token);
      else if (token !== 'fragment')
        throw new HandlerError('The document must hold GraphQL operations and fragments only.');
      isWithin = true;
    }
    if ('([{'.includes(token)) open.push(token);
    if (')]}'.includes(token)) {
      const opening = open.pop();
      if (token === '}' && opening === '{' && open.length === 0) isWithin = false;
    }
  }
  if (kinds.length === 0 || isWithin)
    throw new HandlerError('The document holds no whole GraphQL operation.');
  return kinds;
}
