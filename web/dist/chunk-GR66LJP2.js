import{b as r,c as e}from"./chunk-AS55BEZL.js";async function i(t){let o=await e(`jobs/${t}/report`);return o.job.refusal&&(o.job.message=await r(o.job.refusal)),o}export{i as a};
