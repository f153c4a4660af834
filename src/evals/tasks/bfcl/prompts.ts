/** What the agent is asked: the user's words, and how to be done. */
export function agentTask(request: string): string {
  return `${request.trim()}

Make all the calls that this request needs, each once. The tools only take the calls down. Where no tool fits the request, make no call. Then finish with one sentence that says which calls were made, or that no tool fits.`;
}
