/** Where the launcher reports to people. */
export interface Report {
  /** One line that stays. */
  readonly line: (text: string) => void;
  /** Temporary text, rewritten in place; absent if the output is not a terminal. */
  readonly progress?: (text: string) => void;
}

const CLEAR_LINE = '\r\u001B[K';

/** Reports to a stream: on a terminal, progress is one line that rewrites itself. */
export function reportTo(stream: { isTTY?: boolean; write(text: string): unknown }): Report {
  if (stream.isTTY !== true) return { line: (text) => void stream.write(`${text}\n`) };
  return {
    line: (text) => void stream.write(`${CLEAR_LINE}${text}\n`),
    progress: (text) => void stream.write(`${CLEAR_LINE}${text}`),
  };
}
