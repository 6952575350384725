const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * Ends the process at a signal that nothing else listens for. Linux ignores a signal that the first process of a container does not
 * listen for, so one that came while the program loads would be lost, and the program would run until it is killed.
 */
export function stopUntilHandled(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(EXIT_CODES[signal]);
    });
}
