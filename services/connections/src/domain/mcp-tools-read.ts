/** When the tools of a connection were last read, or began to be, and which were found. */
export interface McpToolsRead {
  readonly readAt: Date;
  /** The hash of the application without its version; absent until its tools were read in this form. */
  readonly hash?: string;
  /** The last number of the application's version. */
  readonly version?: number;
}
