/** What a client's model and its user read about the tools. */
export const instructions: string =
  'solve gives a task to an agent that plans, uses tools of its own, and checks its answer against what they returned. ' +
  'Its claims come with the words that carry them. A run that waits for a human says so: decide with approve, then go on with resume. ' +
  'A run outlives the connection: resume it by its id.';

export const solveText: string =
  'Gives a task to the agent and returns its checked answer with evidence. May take minutes; tells its progress. ' +
  'When it ends with the status awaiting_approval, a human has to decide on the calls under `waiting` before it goes on.';

export const resumeText =
  'Goes on with a run after a decision, a lost connection or a restart, and returns its answer. A finished run gives its answer again.';

export const approveText: string =
  'Lists the calls of a run that wait for a human, or records the decision on one of them. Approve only what the user has seen and ' +
  'agreed to in this conversation: the call has an effect. Afterwards call resume.';

export const decideTitle = 'May the agent do this?';
