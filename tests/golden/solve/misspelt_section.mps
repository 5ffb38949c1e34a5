NAME bad
ROWS
 N cost
 L plant
* a comment
COLUMN
    x cost 1
ENDATA
