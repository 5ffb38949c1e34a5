NAME 
ROWS
 N  OBJ
 G  demand_0_period_0
 G  demand_0_period_1
 G  demand_1_period_0
 G  demand_1_period_1
 G  demand_2_period_0
 G  demand_2_period_1
 G  demand_3_period_0
 G  demand_3_period_1
 L  capacity_0_period_0
 L  capacity_0_period_1
 L  capacity_1_period_0
 L  capacity_1_period_1
 L  capacity_2_period_0
 L  capacity_2_period_1
COLUMNS
    MARKER    'MARKER'                 'INTORG'
    y[0]      OBJ       5.0729564249659023e+04
    y[0]      capacity_0_period_0  -1000000
    y[0]      capacity_0_period_1  -1000000
    y[1]      OBJ       2.9385123724479359e+04
    y[1]      capacity_1_period_0  -1000000
    y[1]      capacity_1_period_1  -1000000
    y[2]      OBJ       2.7307255224206008e+04
    y[2]      capacity_2_period_0  -1000000
    y[2]      capacity_2_period_1  -1000000
    MARKER    'MARKER'                 'INTEND'
    x[0,0,0]  OBJ       5.6652022496049483e+01
    x[0,0,0]  demand_0_period_0  1
    x[0,0,0]  capacity_0_period_0  1
    x[0,0,1]  OBJ       5.6652022496049483e+01
    x[0,0,1]  demand_0_period_1  1
    x[0,0,1]  capacity_0_period_1  1
    x[0,1,0]  OBJ       8.4111061761046486e+01
    x[0,1,0]  demand_1_period_0  1
    x[0,1,0]  capacity_0_period_0  1
    x[0,1,1]  OBJ       8.4111061761046486e+01
    x[0,1,1]  demand_1_period_1  1
    x[0,1,1]  capacity_0_period_1  1
    x[0,2,0]  OBJ       6.3233455484060357e+01
    x[0,2,0]  demand_2_period_0  1
    x[0,2,0]  capacity_0_period_0  1
    x[0,2,1]  OBJ       6.3233455484060357e+01
    x[0,2,1]  demand_2_period_1  1
    x[0,2,1]  capacity_0_period_1  1
    x[0,3,0]  OBJ       8.7308983130766947e+01
    x[0,3,0]  demand_3_period_0  1
    x[0,3,0]  capacity_0_period_0  1
    x[0,3,1]  OBJ       8.7308983130766947e+01
    x[0,3,1]  demand_3_period_1  1
    x[0,3,1]  capacity_0_period_1  1
    x[1,0,0]  OBJ       2.5046297749741989e+01
    x[1,0,0]  demand_0_period_0  1
    x[1,0,0]  capacity_1_period_0  1
    x[1,0,1]  OBJ       2.5046297749741989e+01
    x[1,0,1]  demand_0_period_1  1
    x[1,0,1]  capacity_1_period_1  1
    x[1,1,0]  OBJ       1.1999141511563179e+01
    x[1,1,0]  demand_1_period_0  1
    x[1,1,0]  capacity_1_period_0  1
    x[1,1,1]  OBJ       1.1999141511563179e+01
    x[1,1,1]  demand_1_period_1  1
    x[1,1,1]  capacity_1_period_1  1
    x[1,2,0]  OBJ       2.9519386707899120e+01
    x[1,2,0]  demand_2_period_0  1
    x[1,2,0]  capacity_1_period_0  1
    x[1,2,1]  OBJ       2.9519386707899120e+01
    x[1,2,1]  demand_2_period_1  1
    x[1,2,1]  capacity_1_period_1  1
    x[1,3,0]  OBJ       6.4932759982175611e+01
    x[1,3,0]  demand_3_period_0  1
    x[1,3,0]  capacity_1_period_0  1
    x[1,3,1]  OBJ       6.4932759982175611e+01
    x[1,3,1]  demand_3_period_1  1
    x[1,3,1]  capacity_1_period_1  1
    x[2,0,0]  OBJ       6.2303969561031828e+01
    x[2,0,0]  demand_0_period_0  1
    x[2,0,0]  capacity_2_period_0  1
    x[2,0,1]  OBJ       6.2303969561031828e+01
    x[2,0,1]  demand_0_period_1  1
    x[2,0,1]  capacity_2_period_1  1
    x[2,1,0]  OBJ       18.9427261716116
    x[2,1,0]  demand_1_period_0  1
    x[2,1,0]  capacity_2_period_0  1
    x[2,1,1]  OBJ       18.9427261716116
    x[2,1,1]  demand_1_period_1  1
    x[2,1,1]  capacity_2_period_1  1
    x[2,2,0]  OBJ       7.4183552997084576e+01
    x[2,2,0]  demand_2_period_0  1
    x[2,2,0]  capacity_2_period_0  1
    x[2,2,1]  OBJ       7.4183552997084576e+01
    x[2,2,1]  demand_2_period_1  1
    x[2,2,1]  capacity_2_period_1  1
    x[2,3,0]  OBJ       1.8176846882430912e+01
    x[2,3,0]  demand_3_period_0  1
    x[2,3,0]  capacity_2_period_0  1
    x[2,3,1]  OBJ       1.8176846882430912e+01
    x[2,3,1]  demand_3_period_1  1
    x[2,3,1]  capacity_2_period_1  1
RHS
    RHS1      demand_0_period_0  1
    RHS1      demand_0_period_1  1
    RHS1      demand_1_period_0  1
    RHS1      demand_1_period_1  1
    RHS1      demand_2_period_0  1
    RHS1      demand_2_period_1  1
    RHS1      demand_3_period_0  1
    RHS1      demand_3_period_1  1
BOUNDS
 BV BND1      y[0]    
 BV BND1      y[1]    
 BV BND1      y[2]    
ENDATA
