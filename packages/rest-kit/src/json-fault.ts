import { printParseErrorCode, visit } from 'jsonc-parser';
import type { ParseErrorCode } from 'jsonc-parser';

/** The readable problem for a reader's error name. */
const PROBLEMS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'expected a value or a name in double quotes',
  InvalidNumberFormat: 'the number is not complete',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon',
  CommaExpected: 'expected a comma or a closing bracket',
  CloseBraceExpected: 'expected }',
  CloseBracketExpected: 'expected ]',
  EndOfFileExpected: 'expected nothing more',
  InvalidCommentToken: 'comments are not JSON',
  UnexpectedEndOfComment: 'comments are not JSON',
  UnexpectedEndOfString: 'the text that begins here does not end on its line',
  UnexpectedEndOfNumber: 'the number is not complete',
  InvalidUnicode: 'the text that begins here has an incomplete \\u escape',
  InvalidEscapeCharacter: 'the text that begins here has an unknown escape; a backslash is written \\\\',
  InvalidCharacter:
    'the text that begins here has an unescaped control character; a line break is written \\n',
};

class Fault extends Error {}

/**
 * The first syntax error of a text and its place: `line 2, column 7: expected a colon`. Lines and columns count from
 * one. Undefined if this reader finds no error. The text is never quoted, because it may contain a secret.
 */
export function jsonFault(text: string): string | undefined {
  const onError = (
    code: ParseErrorCode,
    _offset: number,
    _length: number,
    line: number,
    column: number,
  ): never => {
    const problem = PROBLEMS[printParseErrorCode(code)] ?? 'expected JSON';
    // Throwing is the only way to stop the reader; after the first error, it would report a guess for every word.
    throw new Fault(`line ${line + 1}, column ${column + 1}: ${problem}`);
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message;
    throw thrown;
  }
  return undefined;
}
