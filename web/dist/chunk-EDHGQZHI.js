var r=t=>`${Math.floor(t/60)}:${String(Math.floor(t%60)).padStart(2,"0")}`;export{r as a};
