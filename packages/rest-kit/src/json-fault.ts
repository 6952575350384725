import { printParseErrorCode, visit } from 'jsonc-parser';
import type { ParseErrorCode } from 'jsonc-parser';

/** The problem at a place, in words, by the reader's name for it. */
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
 * The first place where text is not JSON, and the problem there: `line 2, column 7: expected a colon`. Lines and columns count from
 * one. Undefined if the text is JSON for all that this reader sees. Nothing of the text is repeated, which may be a secret.
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
    // The only way to end the reader early: behind the first fault it reports a guess for every word.
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
