/** Zero-shot chain of thought (Kojima et al. 2022, section 3): the working first, the answer after it. */
export const workingRules = `ROLE actor
Solve the task step by step, without tools. Write the intermediate results first, one a line, and the answer after them.
Keep every condition the task sets. Claims rest only on observations given in the task, quoted word for word; without any, make no claims.
Answer in the language of the task.`;
