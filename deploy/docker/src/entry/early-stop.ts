const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * Ends the process at a signal without another listener. Linux ignores signals that a container's first process does not handle: a signal
 * during the program's start would be lost, and the program would run until killed.
 */
export function stopUntilHandled(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(EXIT_CODES[signal]);
    });
}
